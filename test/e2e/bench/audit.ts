import { existsSync, readFileSync } from 'node:fs';

/** What an API server does with every request that writes: it logs it, with its body, when it is answered. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  omitManagedFields: true,
  rules: [
    {
      level: 'None',
      resources: [
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: 'coordination.k8s.io', resources: ['leases'] },
      ],
    },
    { level: 'Request', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** One write, as the API server logged it. */
export interface AuditEntry {
  /** When it came in. */
  readonly at: Date;
  readonly user: string;
  readonly userAgent: string;
  /** `create`, `update`, `patch`, `delete` or `deletecollection`. */
  readonly verb: string;
  /** API group, `''` for the core. */
  readonly group: string;
  /** Plural name of the resource. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Path and query. */
  readonly uri: string;
  /** What was sent. */
  readonly body?: any;
}

/** Which writes are asked for: those that have all of these. */
export type AuditQuery = Partial<
  Pick<AuditEntry, 'user' | 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name' | 'status'>
> & {
  /** Not before this moment. */
  readonly since?: Date;
};

/** The writes in a log, in the order of their answers. */
export function auditEntries(file: string, { since, ...wanted }: AuditQuery = {}): AuditEntry[] {
  if (!existsSync(file)) {
    return [];
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(entryOf)
    .filter(
      (entry) =>
        (since === undefined || entry.at >= since) &&
        Object.entries(wanted).every(([key, value]) => entry[key as keyof AuditEntry] === value),
    );
}

function entryOf(line: string): AuditEntry[] {
  let event: any;
  try {
    event = JSON.parse(line);
  } catch {
    // The last line of a log that is just being written.
    return [];
  }
  const { objectRef = {} } = event;
  return [
    {
      at: new Date(event.requestReceivedTimestamp),
      user: event.user.username,
      userAgent: event.userAgent,
      verb: event.verb,
      group: objectRef.apiGroup ?? '',
      resource: objectRef.resource,
      subresource: objectRef.subresource,
      namespace: objectRef.namespace,
      name: objectRef.name ?? event.requestObject?.metadata?.name,
      status: event.responseStatus?.code,
      uri: event.requestURI,
      body: event.requestObject,
    },
  ];
}
