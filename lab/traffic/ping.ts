import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';

/** Round-trip time in milliseconds of one ICMP echo; undefined if there was no answer in time. */
export async function ping(host: Host, to: Ip, withinMs = 1000): Promise<number | undefined> {
  const seconds = String(withinMs / 1000);
  const { stdout } = await host.attempt(['ping', '-n', '-c', '1', '-W', seconds, to]);
  const time = / time=([\d.]+) ms/.exec(stdout)?.[1];
  return time === undefined ? undefined : Number(time);
}
