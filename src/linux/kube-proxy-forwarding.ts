/**
 * kube-proxy's rules, read from nf_tables. With nftables a key is looked up in some microseconds; with iptables all rules
 * for Services have to be read, once for all questions. Rules that the older iptables keeps outside of nf_tables, and
 * those of IPVS, are not read.
 */

import type { Opening } from '../model/guard.ts';
import { type Family, familyOf, type Ip } from '../model/ip.ts';
import {
  type DestinationRule,
  decodeDestination,
  encodeKubeProxyChain,
  encodeKubeProxyKey,
  encodeKubeProxyTable,
  type KubeProxyChain,
  kubeProxyChains,
  kubeProxyMaps,
} from '../wire/nftables/kube-proxy-table.ts';
import { NftMessage } from '../wire/nftables/nft-message.ts';
import type { Forwarding, ForwardingAnswer, ForwardingQuestion } from './forwarding.ts';
import { errno } from './libc.ts';
import { NetlinkConnection, type NetlinkRequest } from './netlink-connection.ts';
import { NetlinkError } from './netlink-error.ts';
import { NETLINK_NETFILTER, type NetlinkSocket, openNetlinkSocket } from './netlink-socket.ts';
import { Turn } from './turn.ts';

const receiveBufferBytes = 1 << 20;
const sendBufferBytes = 1 << 16;

/** What kube-proxy has in a family: a table of its own, or these addresses in those of iptables, or nothing. */
type Rules = 'ownTable' | ReadonlySet<Ip> | 'none';

export class KubeProxyForwarding implements Forwarding {
  readonly #open: () => NetlinkSocket;
  #connection: NetlinkConnection | undefined;

  /** Nothing is opened before it is needed. */
  constructor(open: () => NetlinkSocket = openFilterSocket) {
    this.#open = open;
  }

  async look(questions: readonly ForwardingQuestion[]): Promise<readonly ForwardingAnswer[]> {
    try {
      this.#connection ??= new NetlinkConnection(this.#open());
      return await answerAll(this.#connection, questions);
    } catch (error) {
      if (error instanceof NetlinkError) return questions.map(() => 'unreadable');
      throw error;
    }
  }

  close(): void {
    this.#connection?.close();
  }
}

async function answerAll(
  connection: NetlinkConnection,
  questions: readonly ForwardingQuestion[],
): Promise<readonly ForwardingAnswer[]> {
  const known = new Map<Family, Rules>();
  const answers: ForwardingAnswer[] = [];
  const turn = new Turn();
  for (const question of questions) {
    if (turn.isOver()) await turn.next();
    const family = familyOf(question.ip);
    const rules = known.get(family) ?? (await readRules(connection, family));
    known.set(family, rules);
    answers.push(await answer(connection, rules, question));
  }
  return answers;
}

async function answer(
  connection: NetlinkConnection,
  rules: Rules,
  { ip, openings }: ForwardingQuestion,
): Promise<ForwardingAnswer> {
  if (rules === 'ownTable') return lookUp(connection, openings);
  if (rules === 'none') return 'unreadable';
  return rules.has(ip) ? 'standing' : 'missing';
}

async function readRules(connection: NetlinkConnection, family: Family): Promise<Rules> {
  const encodeBody = () => encodeKubeProxyTable(family);
  const request = { type: NftMessage.getTable, encodeBody };
  if (await exists(connection, 'find kube-proxy', request)) return 'ownTable';
  const [forwarding, refusing] = kubeProxyChains;
  const forwarded = await readChain(connection, forwarding, family);
  // With or without Services it has the rule that leads to NodePorts.
  if (forwarded.length === 0) return 'none';
  const refused = await readChain(connection, refusing, family);
  return new Set([...forwarded, ...refused].flatMap(({ ip }) => ip ?? []));
}

/** Older kernels tell of all chains, whichever was asked for. */
async function readChain(
  connection: NetlinkConnection,
  of: KubeProxyChain,
  family: Family,
): Promise<readonly DestinationRule[]> {
  const encodeBody = () => encodeKubeProxyChain(of, family);
  const request = { type: NftMessage.getRule, encodeBody };
  const rules = await connection.dump('read kube-proxy', request, decodeDestination);
  return rules.filter(({ table, chain }) => table === of.table && chain === of.chain);
}

async function lookUp(
  connection: NetlinkConnection,
  openings: readonly Opening[],
): Promise<ForwardingAnswer> {
  for (const opening of openings) if (!(await isInMap(connection, opening))) return 'missing';
  return 'standing';
}

async function isInMap(connection: NetlinkConnection, opening: Opening): Promise<boolean> {
  for (const map of kubeProxyMaps) {
    const encodeBody = () => encodeKubeProxyKey(map, opening);
    const request = { type: NftMessage.getElements, encodeBody };
    if (await exists(connection, 'find a Service', request)) return true;
  }
  return false;
}

async function exists(
  connection: NetlinkConnection,
  operation: string,
  request: NetlinkRequest,
): Promise<boolean> {
  try {
    return await connection.ask(operation, request, () => true);
  } catch (error) {
    if (error instanceof NetlinkError && error.errno === errno.ENOENT) return false;
    throw error;
  }
}

function openFilterSocket(): NetlinkSocket {
  return openNetlinkSocket({ protocol: NETLINK_NETFILTER, receiveBufferBytes, sendBufferBytes });
}
