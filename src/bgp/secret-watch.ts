/** Secrets that a configuration names, and no others: each is watched by its name while somebody needs it. */

import type { SecretAnswer } from '../decide/advertisement/resolve-sessions.ts';
import { Reflector } from '../kube/reflector.ts';
import { secrets } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import type { BgpConfig } from '../model/bgp-config.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { BgpSetup } from './bgp-setup.ts';

type Setup = Pick<BgpSetup, 'cluster' | 'clock' | 'random' | 'observe' | 'installNamespace'>;

interface Watched {
  readonly reflector: Reflector;
  readonly stop: AbortController;
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
    const reflector = this.#watched.get(name)?.reflector;
    if (reflector?.isSynced !== true) {
      return { kind: 'unknown', words: `Secret ${name} could not be read yet` };
    }
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
      observe: (observation) => observe(`secret ${name}`, observation),
    });
    const stop = new AbortController();
    this.#watched.set(name, { reflector, stop });
    void reflector.run(stop.signal);
    void reflector.whenSynced().then(() => this.#onChange());
  }
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
