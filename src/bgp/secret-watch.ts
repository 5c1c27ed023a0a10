/**
 * Secrets that a configuration names, and no others: each is watched by its name while a session needs it. An agent may
 * read only those that its role names, and the API server grants a watch of a named one only by this selector.
 */

import type { SecretAnswer } from '../decide/advertisement/resolve-sessions.ts';
import { isForbidden } from '../kube/api-error.ts';
import { Reflector } from '../kube/reflector.ts';
import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import { secrets } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import type { BgpConfig } from '../model/bgp-config.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { BgpSetup } from './bgp-setup.ts';

type Setup = Pick<BgpSetup, 'cluster' | 'clock' | 'random' | 'observe' | 'installNamespace'>;

/** In deploy/bgp/rbac.yaml. */
const roleName = 'purelb:lbnodeagent-bgp';

interface Watched {
  readonly reflector: Reflector;
  readonly stop: AbortController;
  /** The role of agents does not name it. */
  isForbidden: boolean;
}

export class SecretWatch {
  readonly #setup: Setup;
  readonly #onChange: () => void;
  readonly #watched = new Map<string, Watched>();

  constructor(setup: Setup, onChange: () => void) {
    this.#setup = setup;
    this.#onChange = onChange;
  }

  /** Those that are not named any more are forgotten. */
  need(names: ReadonlySet<string>): void {
    for (const [name, { stop }] of this.#watched) {
      if (names.has(name)) continue;
      stop.abort();
      this.#watched.delete(name);
    }
    for (const name of names) if (!this.#watched.has(name)) this.#watch(name);
  }

  answer(name: string, key: string): SecretAnswer {
    const watched = this.#watched.get(name);
    if (watched?.reflector.isSynced !== true) {
      const words = watched?.isForbidden === true ? this.#refusal(name) : notReadYet(name);
      return { kind: 'unknown', words };
    }
    const { reflector } = watched;
    const secret = [...reflector.store.values()][0];
    if (secret === undefined) return { kind: 'absent', words: `there is no Secret ${name}` };
    const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
    const text = data[key];
    if (text === undefined) return { kind: 'absent', words: `Secret ${name} has no key ${key}` };
    return { kind: 'found', text: decode(text) };
  }

  stop(): void {
    this.need(new Set());
  }

  #watch(name: string): void {
    const { cluster, clock, random, observe, installNamespace } = this.#setup;
    const store = new Store<KubeObject>({ onListenerError: () => {} });
    store.subscribe(() => this.#onChange());
    const reflector = new Reflector({
      cluster,
      resource: secrets,
      store,
      clock,
      random,
      selection: { namespace: installNamespace, fieldSelector: `metadata.name=${name}` },
      observe: (observation) => {
        observe(`secret ${name}`, observation);
        this.#note(watched, observation);
      },
    });
    const stop = new AbortController();
    const watched: Watched = { reflector, stop, isForbidden: false };
    this.#watched.set(name, watched);
    void reflector.run(stop.signal);
    void reflector.whenSynced().then(() => this.#onChange());
  }

  #note(watched: Watched, observation: ReflectorObservation): void {
    if (observation.kind !== 'failed' && observation.kind !== 'synced') return;
    const isRefused = observation.kind === 'failed' && isForbidden(observation.error);
    if (isRefused === watched.isForbidden) return;
    watched.isForbidden = isRefused;
    this.#onChange();
  }

  #refusal(name: string): string {
    const where = `the Role ${roleName} in ${this.#setup.installNamespace}`;
    return `the agent may not read Secret ${name}: add its name to resourceNames in ${where}`;
  }
}

function notReadYet(name: string): string {
  return `Secret ${name} could not be read yet`;
}

/** Files end with a line break, which nobody means to be part of a password. */
function decode(base64: string): string {
  return Buffer.from(base64, 'base64')
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Their names. */
export function secretsOf(config: BgpConfig | undefined): ReadonlySet<string> {
  const sessions = [...(config?.neighbors ?? []), ...(config?.peerGroups ?? [])];
  return new Set(
    sessions.flatMap(({ password }) => (password?.kind === 'secret' ? [password.name] : [])),
  );
}
