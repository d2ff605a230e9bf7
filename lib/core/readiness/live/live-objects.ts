import { apiVerdict, whyOfApis } from '../judge-api';
import type { ReadinessFinding, ReadinessSeverity } from '../report';
import { counted } from '../words';
import { liveSubject, moreOf } from './subject';
import type { SeenObject, SeenObjects, SeenVersion } from './written-versions';
import { writtenVersions } from './written-versions';

/**
 * All objects of the cluster, by the versions that they were written in. It takes the right to list every kind, which RBAC
 * can't limit to metadata; objects are asked for without their content, and Secrets are not asked for.
 */
export const liveObjects = liveSubject({
  name: 'live-objects',
  title: 'API versions by which the objects of the cluster were written',
  access: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
  look: async (reader, question) => {
    const { versions, counts, untried } = await writtenVersions(reader, question);
    const objects = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      findings: judgeVersions(versions, question.to),
      looked: `${counted(objects, 'object')} of ${counted(counts.size, 'kind')}`,
      untried,
    };
  },
});

/** What a program's writing by an old version is worth: it may have learned the new one since. */
const lower: Readonly<Record<ReadinessSeverity, ReadinessSeverity>> = {
  error: 'warning',
  warning: 'info',
  info: 'info',
};

const whyWritten = 'unless the writer has learned another version since, its next write of this kind fails';

/**
 * What the versions mean for an upgrade to a version of Kubernetes: one finding for each object and version. A version in a
 * manifest is what it would be in a file; one by which somebody once wrote is one severity lower, since nothing says that the
 * same is done again.
 *
 * @param to `1.36`
 */
export function judgeVersions(versions: readonly SeenVersion[], to: string): readonly ReadinessFinding[] {
  return versions.flatMap((version) => {
    const verdict = apiVerdict(version, to);
    if (verdict === undefined) {
      return [];
    }
    const why = whyOfApis[verdict.id as keyof typeof whyOfApis];
    const declared = ({ object, seenIn }: SeenObject): ReadinessFinding => ({
      ...verdict,
      why,
      object,
      seenIn,
    });
    const written = ({ object, seenIn, who }: SeenObject): ReadinessFinding => ({
      ...verdict,
      severity: lower[verdict.severity],
      message: `${verdict.message}; ${who ?? 'the cluster serves it by no other version'}`,
      why: who === undefined ? why : whyWritten,
      object,
      seenIn,
    });
    return [...all(version.declared, declared), ...all(version.written, written)];
  });
}

function all(
  { count, first }: SeenObjects,
  findingOf: (seen: SeenObject) => ReadinessFinding,
): readonly ReadinessFinding[] {
  const findings = first.map(findingOf);
  const [like] = findings;
  return like === undefined || count <= first.length
    ? findings
    : [
        ...findings,
        {
          ...moreOf(like, count - first.length),
          message: `${like.message}: ${count - first.length} more objects`,
        },
      ];
}
