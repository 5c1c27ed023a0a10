/** What was asked of the API server, by whom: counts the API writes of each component exactly. */

/** Watches are left out: they last, and are no load by themselves. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [
    { level: 'None', verbs: ['watch'] },
    { level: 'None', nonResourceURLs: ['*'] },
    { level: 'Metadata' },
  ],
} as const;

export interface AuditEntry {
  /** Epoch milliseconds when the request came in. */
  readonly at: number;
  readonly user: string;
  readonly verb: string;
  /** With the subresource, as in `services/status`. */
  readonly resource: string;
  /** `namespace/name`; empty parts where the request names none. */
  readonly object: string;
  readonly code: number;
  /** Which of the user's credentials it came with, where the server can tell: `JTI=…` of a token. */
  readonly credential?: string;
}

interface AuditEvent {
  readonly requestReceivedTimestamp: string;
  readonly user: {
    readonly username: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly verb: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** A last line without an end is still being written, and is left for the next time. */
export function parseAuditLog(text: string): readonly AuditEntry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines
    .filter((line) => line !== '')
    .map((line) => readEvent(JSON.parse(line) as AuditEvent));
}

const credentialKey = 'authentication.kubernetes.io/credential-id';

function readEvent(event: AuditEvent): AuditEntry {
  const [credential] = event.user.extra?.[credentialKey] ?? [];
  const { resource = '', subresource, namespace = '', name = '' } = event.objectRef ?? {};
  return {
    at: Date.parse(event.requestReceivedTimestamp),
    user: event.user.username,
    verb: event.verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    object: `${namespace}/${name}`,
    code: event.responseStatus?.code ?? 0,
    ...(credential === undefined ? {} : { credential }),
  };
}
