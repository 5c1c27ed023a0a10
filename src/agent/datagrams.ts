import type { Ip } from '../model/ip.ts';
import type { Prefix } from '../model/prefix.ts';

/** `from`: the sender's address as the kernel writes it. `at`: the own address that it was sent to. */
export type DatagramListener = (bytes: Uint8Array, from: string, at: Ip) => void;

/** The port to other agents: UDP, between the nodes' own addresses and no others. */
export interface Datagrams {
  /** Listens on these addresses, and sends from them. What is sent to an address of a Service is not heard. */
  attend(own: readonly Prefix[]): void;
  /** As far as it goes: whether it arrives, nobody knows. */
  send(bytes: Uint8Array, to: Ip): void;
  listen(listener: DatagramListener): void;
  close(): void;
}

export const hintPort = 7476;
