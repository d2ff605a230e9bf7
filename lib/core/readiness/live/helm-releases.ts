import { inTurn } from '../../async';
import { isPlainObject } from '../../validation/problems';
import type { KubernetesObject } from '../../kubernetes/api';
import { judgeApi } from '../judge-api';
import type { ReadinessFinding } from '../report';
import { counted, said } from '../words';
import { readHelmRecord } from './helm-record';
import type { LiveReader } from './reader';
import { liveSubject, placeOf } from './subject';

/**
 * What Helm has installed, as its own records say. Helm reads the record before it upgrades a release: one with an object of
 * a removed API can't be upgraded, whatever its new chart says.
 *
 * @see https://helm.sh/docs/topics/kubernetes_apis
 */
export const helmReleases = liveSubject({
  name: 'helm-releases',
  title: 'API versions in the manifests of Helm releases',
  optional: 'helmReleases',
  access: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }],
  look: async (reader, question) => {
    const { value: records, untried } = await reader.metadata(secretKind, recordOf, {
      fieldSelector: 'type=helm.sh/release.v1',
    });
    const releases = newestDeployed(records ?? []);
    let done = 0;
    // What is unzipped of one may be large: no more of them are in memory than calls may be under way.
    const looks = await inTurn(releases, question.concurrency, async (record) => {
      const look = await readRelease(reader, record, question.to);
      done += 1;
      question.progress(`Helm releases: ${done} of ${releases.length}`);
      return look;
    });
    return {
      findings: looks.flatMap(({ findings }) => findings),
      looked: counted(releases.length, 'Helm release'),
      untried: [
        ...untried,
        ...looks.flatMap((each) => each.untried),
        ...neverDeployed(records ?? []).map(
          ({ revision, status, ...record }) =>
            `${whereOf(record)}: none of its records is deployed; the newest, of revision ${revision}, is ${said(status) || 'without a status'}`,
        ),
      ],
    };
  },
});

const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const;

/** A record of one revision of a release. */
export interface HelmRecord {
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  /** Name of the release. */
  readonly release: string;
  readonly revision: number;
  readonly status: string;
}

/**
 * What the labels of a record say.
 *
 * @see https://github.com/helm/helm/blob/main/pkg/storage/driver/secrets.go
 */
export function recordOf({ metadata }: KubernetesObject): HelmRecord | undefined {
  const { owner, name, version, status = '' } = metadata.labels ?? {};
  return owner === 'helm' && name !== undefined && /^\d{1,9}$/.test(version ?? '')
    ? {
        namespace: metadata.namespace ?? '',
        secret: metadata.name,
        release: name,
        revision: Number(version),
        status,
      }
    : undefined;
}

/** The record of each release that says what is there now: the next upgrade begins with it. */
export function newestDeployed(records: readonly HelmRecord[]): readonly HelmRecord[] {
  return newestOf(records.filter(({ status }) => status === 'deployed'));
}

/**
 * The newest record of each release that has none which is deployed, as where its first install failed or was cut: some of its
 * objects may be there. What was uninstalled is gone, and its record was kept on purpose.
 */
export function neverDeployed(records: readonly HelmRecord[]): readonly HelmRecord[] {
  const deployed = new Set(newestDeployed(records).map(keyOf));
  return newestOf(records).filter(
    (record) => record.status !== 'uninstalled' && !deployed.has(keyOf(record)),
  );
}

function keyOf({ namespace, release }: HelmRecord): string {
  return placeOf({ namespace, name: release });
}

function newestOf(records: readonly HelmRecord[]): readonly HelmRecord[] {
  const newest = new Map<string, HelmRecord>();
  for (const record of records) {
    const key = keyOf(record);
    const known = newest.get(key);
    if (known === undefined || known.revision < record.revision) {
      newest.set(key, record);
    }
  }
  return [...newest.values()];
}

async function readRelease(
  reader: LiveReader,
  { namespace, secret, release }: HelmRecord,
  to: string,
): Promise<{ readonly findings: readonly ReadinessFinding[]; readonly untried: readonly string[] }> {
  const where = whereOf({ namespace, release });
  const reference = { ...secretKind, metadata: { name: secret, namespace } };
  const { value: found, untried } = await reader.get(where, reference);
  if (found === undefined || found === 'missing') {
    // What is missing was taken away since it was listed.
    return { findings: [], untried };
  }
  const manifest = await readHelmRecord(
    isPlainObject(found.data) ? found.data.release : undefined,
    reader.signal,
  );
  if (manifest === undefined) {
    return { findings: [], untried: [`${where}: its record is none of Helm, or too long`] };
  }
  return {
    findings: manifest.objects.flatMap((object) => {
      const finding = judgeApi(object, to, where);
      return finding === undefined ? [] : [ofHelm(finding)];
    }),
    untried:
      manifest.unread > 0
        ? [
            `${where}: ${counted(manifest.unread, 'document')} of its manifest can't be read${
              manifest.tooLong === undefined ? '' : `, ${manifest.tooLong} of them for being too long`
            }`,
          ]
        : [],
  };
}

function whereOf({ namespace, release }: Pick<HelmRecord, 'namespace' | 'release'>): string {
  return `Helm release ${said(release)} in namespace ${said(namespace)}`;
}

function ofHelm(finding: ReadinessFinding): ReadinessFinding {
  return finding.id === 'API01'
    ? {
        ...finding,
        why: `${finding.why}; Helm can't upgrade a release whose last manifest has it`,
        fix: `${finding.fix}; upgrade the release to such a chart before the cluster, or have the plugin helm-mapkubeapis rewrite its record`,
      }
    : finding;
}
