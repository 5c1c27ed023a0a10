import { type GrpcError, grpcStatus } from '../runtime/grpc-error.ts';
import { SpeakerError } from './speaker.ts';

const silent: readonly number[] = [grpcStatus.unavailable, grpcStatus.deadlineExceeded];

/** The daemon tells nearly everything by its words alone: its status is always the same. */
export function speakerError({ status, message }: GrpcError): SpeakerError {
  if (silent.includes(status)) return new SpeakerError('Unreachable', message);
  if (status === grpcStatus.unimplemented) {
    const words = 'the daemon is not GoBGP 4: its API has no such call';
    return new SpeakerError('Refused', message === '' ? words : `${words} (${message})`);
  }
  if (message.includes('server stopped')) {
    return new SpeakerError('Stopped', 'the daemon was stopped: start its process anew');
  }
  return new SpeakerError('Refused', message);
}

/** What was to be done is so already. */
export function isAlreadySo(message: string): boolean {
  return alreadySo.some((pattern) => pattern.test(message));
}

const alreadySo = [
  /can't overwrite the existing peer/,
  /doesn't exist/,
  /not found/i,
  /already (defined|exists)/,
  /no such/i,
  /can't delete a peer configuration/,
];
