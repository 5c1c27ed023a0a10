import type { Family, Ip } from '../../src/model/ip.ts';
import { familyOf } from '../../src/model/ip.ts';
import type { Mac } from '../../src/model/mac.ts';
import { HostProcess, type StartOptions } from '../process/host-process.ts';
import { attempt, type Output, type RunOptions, run } from '../process/run.ts';
import { type HostPlan, type NicPlan, portOf } from './network-plan.ts';
import type { Segment } from './segment.ts';

/** A host's end of a link, and where the other end is. */
export interface Nic {
  readonly host: Host;
  readonly name: string;
  readonly plan: NicPlan;
  readonly segment: Segment;
  /** Name of the other end, in the segment's namespace. */
  readonly port: string;
}

/** A link as the host's kernel describes it. */
export interface LinkReading {
  readonly name: string;
  readonly mac: Mac;
  /** `UP`, `DOWN`, `LOWERLAYERDOWN` … (RFC 2863, as `ip` prints it). */
  readonly state: string;
  readonly hasCarrier: boolean;
  /** With prefix length, in the kernel's order; without link-local ones. */
  readonly addresses: readonly string[];
}

/** A machine: a network namespace with NICs on segments, and the programs started on it. */
export class Host {
  readonly plan: HostPlan;
  readonly namespace: string;
  readonly nics: readonly Nic[];
  readonly processes = new Set<HostProcess>();
  #isOff = false;

  constructor(plan: HostPlan, namespace: string, segmentNamed: (name: string) => Segment) {
    this.plan = plan;
    this.namespace = namespace;
    this.nics = plan.nics.map((nic) => ({
      host: this,
      name: nic.name,
      plan: nic,
      segment: segmentNamed(nic.segment),
      port: portOf(plan, nic),
    }));
  }

  get name(): string {
    return this.plan.name;
  }

  nic(name = 'eth0'): Nic {
    const found = this.nics.find((nic) => nic.name === name);
    if (found === undefined) throw new RangeError(`${this.name} has no NIC ${name}`);
    return found;
  }

  /** The first address that the plan gave it; what programs added since does not count. */
  address(family: Family): Ip {
    const found = this.nics
      .flatMap(({ plan }) => plan.addresses)
      .find(({ ip }) => familyOf(ip) === family);
    if (found === undefined) throw new RangeError(`${this.name} has no ${family} address`);
    return found.ip;
  }

  get ipv4(): Ip {
    return this.address('ipv4');
  }

  get ipv6(): Ip {
    return this.address('ipv6');
  }

  /** The command that leads from the sandbox onto this host. */
  get entry(): readonly string[] {
    return ['ip', 'netns', 'exec', this.namespace];
  }

  /** Runs a program here to its end; throws unless it ended with 0. */
  async run(argv: readonly string[], options?: RunOptions): Promise<Output> {
    return run([...this.entry, ...argv], options);
  }

  /** Runs a program here to its end, however it ends. */
  async attempt(argv: readonly string[], options?: RunOptions): Promise<Output> {
    return attempt([...this.entry, ...argv], options);
  }

  /** Starts a program here that stays until it ends or the lab does. */
  async start(argv: readonly string[], options?: StartOptions): Promise<HostProcess> {
    if (this.#isOff) throw new Error(`${this.name} is switched off`);
    const started = new HostProcess(this.entry, argv, options);
    this.processes.add(started);
    void started.exited.then(() => this.processes.delete(started));
    await started.becomeReady();
    return started;
  }

  /** Kills its programs, also those still starting, and lets no more be started. */
  async halt(): Promise<void> {
    this.#isOff = true;
    await Promise.all([...this.processes].map((started) => started.kill()));
  }

  /** Switched off: its kernel answers nobody, not even `links`. */
  get isOff(): boolean {
    return this.#isOff;
  }

  /** Lets programs be started again. */
  boot(): void {
    this.#isOff = false;
  }

  /** `await host.sysctl('net/ipv4/conf/all/arp_ignore', 1)` */
  async sysctl(path: string, value: string | number): Promise<void> {
    await this.run(['sh', '-c', 'echo "$2" > "/proc/sys/$1"', 'sh', path, String(value)]);
  }

  /** Its links but `lo`, as its kernel has them now. */
  async links(): Promise<readonly LinkReading[]> {
    const { stdout } = await run(['ip', '-n', this.namespace, '-json', 'address', 'show']);
    const links = JSON.parse(stdout) as readonly IpLink[];
    return links.filter(({ ifname }) => ifname !== 'lo').map(readLink);
  }
}

/** The part of `ip -json address show` that is read. */
interface IpLink {
  readonly ifname: string;
  readonly address: Mac;
  readonly operstate: string;
  readonly flags: readonly string[];
  readonly addr_info: readonly { local: string; prefixlen: number; scope: string }[];
}

function readLink({ ifname, address, operstate, flags, addr_info }: IpLink): LinkReading {
  return {
    name: ifname,
    mac: address,
    state: operstate,
    hasCarrier: flags.includes('LOWER_UP'),
    addresses: addr_info
      .filter(({ scope }) => scope === 'global')
      .map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  };
}
