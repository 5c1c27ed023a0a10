import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Opening } from '../model/guard.ts';
import { type Ip, ipOf, ipToBytes } from '../model/ip.ts';
import { type NetlinkMessage, NLM_F_DUMP } from '../wire/netlink-message.ts';
import { encodeKubeProxyChain, encodeKubeProxyKey } from '../wire/nftables/kube-proxy-table.ts';
import { NftMessage } from '../wire/nftables/nft-message.ts';
import { encodeRule } from '../wire/nftables/nft-rule.ts';
import { KubeProxyForwarding } from './kube-proxy-forwarding.ts';
import { errno } from './libc.ts';
import { NetlinkError } from './netlink-error.ts';
import { openingSocket } from './netlink-socket.ts';
import { datagram, done, ScriptedSocket, status } from './scripted-socket.fixture.ts';

interface KernelSpec {
  /** The questions that have an answer. */
  readonly keys?: readonly Uint8Array[];
  readonly hasTable?: boolean;
  /** Of every other question. */
  readonly failure?: number;
  /** The rules of a chain, by the question for them. */
  readonly chains?: readonly {
    readonly asked: Uint8Array;
    readonly rules: readonly Uint8Array[];
  }[];
}

const isSame = (left: Uint8Array, right: Uint8Array) => Buffer.from(left).equals(right);

function open({ keys = [], hasTable = false, failure = errno.ENOENT, chains = [] }: KernelSpec) {
  const reply = ({ type, flags, sequence, body }: NetlinkMessage) => {
    if ((flags & NLM_F_DUMP) === NLM_F_DUMP) {
      const rules = chains.find(({ asked }) => isSame(asked, body))?.rules ?? [];
      const parts = rules.map((rule) =>
        datagram({ type: NftMessage.newRule, sequence, body: rule }),
      );
      return [...parts, datagram(done(sequence))];
    }
    const isThere = type === NftMessage.getTable ? hasTable : keys.some((key) => isSame(key, body));
    if (!isThere) return [datagram(status(sequence, failure))];
    return [datagram({ type: 0xa0c, sequence, body }), datagram(status(sequence))];
  };
  const socket = new ScriptedSocket((messages) => messages.flatMap(reply));
  return { socket, forwarding: new KubeProxyForwarding(() => socket) };
}

/** As iptables makes it of `-d IP`. */
function ruleFor(ip: Ip, { table, chain }: { readonly table: string; readonly chain: string }) {
  const value = ipToBytes(ip);
  const [offset, length] = value.length === 4 ? [16, 4] : [24, 16];
  return encodeRule({
    table,
    chain,
    expressions: [
      { kind: 'payload', register: 1, base: 1, offset, length },
      { kind: 'cmp', register: 1, operator: 0, value },
    ],
  });
}

const services = { table: 'nat', chain: 'KUBE-SERVICES' } as const;
const refusals = { table: 'filter', chain: 'KUBE-EXTERNAL-SERVICES' } as const;

for (const [text, otherText, family] of [
  ['192.0.2.100', '192.0.2.101', 'ipv4'],
  ['2001:db8::100', '2001:db8::101', 'ipv6'],
] as const) {
  const ip = ipOf(text);
  const other = ipOf(otherText);
  const web: Opening = { ip, protocol: 'TCP', port: 80 };
  const dns: Opening = { ip, protocol: 'UDP', port: 53 };
  const look = async (spec: KernelSpec, ...openings: readonly Opening[]) =>
    (await open(spec).forwarding.look([{ ip, openings }]))[0];

  test(`${text}: with nftables rules stand when every port has them, with endpoints or to refuse`, async () => {
    const forwarded = encodeKubeProxyKey('service-ips', web);
    const refused = encodeKubeProxyKey('no-endpoint-services', dns);
    const hasTable = true;
    assert.equal(await look({ hasTable, keys: [forwarded, refused] }, web, dns), 'standing');
    assert.equal(await look({ hasTable, keys: [forwarded] }, web, dns), 'missing');
    assert.equal(await look({ hasTable, keys: [forwarded] }, web), 'standing');
  });

  test(`${text}: with iptables rules stand when one is for the address, to forward or to refuse`, async () => {
    const chainOf = (chain: typeof services | typeof refusals, ...ips: readonly Ip[]) => ({
      asked: encodeKubeProxyChain(chain, family),
      rules: ips.map((each) => ruleFor(each, chain)),
    });
    assert.equal(await look({ chains: [chainOf(services, other, ip)] }, web), 'standing');
    const refused = [chainOf(services, other), chainOf(refusals, ip)];
    assert.equal(await look({ chains: refused }, web), 'standing');
    assert.equal(await look({ chains: [chainOf(services, other)] }, web), 'missing');
    const nodePorts = encodeRule({ ...services, expressions: [] });
    const empty = { asked: encodeKubeProxyChain(services, family), rules: [nodePorts] };
    assert.equal(await look({ chains: [empty] }, web), 'missing');
  });

  test(`${text}: rules of another chain, as older kernels tell of them, are none of kube-proxy’s`, async () => {
    const asked = encodeKubeProxyChain(services, family);
    const mine = ruleFor(ip, { table: 'nat', chain: 'DOCKER' });
    const chains = [{ asked, rules: [mine, ruleFor(other, services)] }];
    assert.equal(await look({ chains }, web), 'missing');
  });

  test(`${text}: where nothing of kube-proxy is, or the kernel will not tell, nothing is known`, async () => {
    assert.equal(await look({}, web), 'unreadable');
    assert.equal(await look({ failure: errno.EPERM }, web), 'unreadable');
    const closed = new KubeProxyForwarding(() => {
      throw NetlinkError.fromErrno(openingSocket, errno.EPROTONOSUPPORT);
    });
    assert.deepEqual(await closed.look([{ ip, openings: [web] }]), ['unreadable']);
  });

  test(`${text}: the rules of iptables are read once for all that is asked`, async () => {
    const asked = encodeKubeProxyChain(services, family);
    const { socket, forwarding } = open({ chains: [{ asked, rules: [ruleFor(ip, services)] }] });
    const questions = [ip, other, ip].map((each) => ({ ip: each, openings: [web] }));
    assert.deepEqual(await forwarding.look(questions), ['standing', 'missing', 'standing']);
    assert.equal(socket.sent.length, 3);
  });
}
