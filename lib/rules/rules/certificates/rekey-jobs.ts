import { Field } from '../../field';
import { certificateName } from '../../objects/authorities';
import type { JudgedRekey, RekeyJob } from '../../objects/rekeys';
import { syncWave } from '../../objects/rekeys';
import type { RawFinding } from '../../rule';

/** Jobs without which a phase begins too soon, or is never over. */
const needed = { publish: ['bundle'], switch: ['gate publish'], retire: ['gate switch', 'retire'] } as const;

/** What each of them is for. */
const purpose: Readonly<Record<string, string>> = {
  bundle: 'nothing writes the Secret that both generations are injected from',
  'gate publish': 'nothing waits until every CA bundle holds both generations',
  'gate switch': 'nothing waits until every pod serves what the new generation signed',
  retire: 'nothing takes the old generation out of the CA bundles',
};

/** Jobs of a phase that are not there, and those in a wave in which they hold nothing back. */
export function* judgeRekeyJobs(rekey: JudgedRekey): Iterable<RawFinding> {
  const { phase, jobs, renewed } = rekey;
  const wanted = phase ? needed[phase] : jobs.length === 0 ? needed.publish : [];
  for (const each of wanted) {
    if (!jobs.some(({ does }) => does === each)) {
      yield {
        object: renewed.object,
        pointer: '',
        message: `the way to ${certificateName(renewed)}${phase ? ` is in its phase ${phase}` : ''} without a Job for "cluster-canary rekey ${each}": ${purpose[each]}`,
        fix: 'keep all Jobs of a phase: CertificateAuthority writes them',
      };
    }
  }
  if (usesWaves(rekey)) {
    yield* jobs.flatMap((job) => inWrongWave(job, rekey));
  }
}

function usesWaves({ old, renewed, jobs }: JudgedRekey): boolean {
  return [old, renewed, ...jobs].some(({ object }) =>
    Field.of(object)
      .get('metadata', 'annotations')
      .keys.some((key) => /^argocd\.argoproj\.io\/(sync-wave|hook)$/.test(key)),
  );
}

function inWrongWave({ object, does }: RekeyJob, { changed }: JudgedRekey): RawFinding[] {
  const { field, wave } = syncWave(object);
  const waves = changed.map((each) => syncWave(each).wave);
  const isLast = does === 'retire';
  const inOrder = waves.every((each) => (isLast ? wave > each : wave < each));
  return inOrder
    ? []
    : [
        {
          object,
          pointer: field.pointer,
          message: `the Job for "cluster-canary rekey ${does}" is in wave ${wave}, ${isLast ? 'not after' : 'not before'} all that the phase changes`,
          why: isLast
            ? 'what it writes is injected again, or it fails since the CA is still injected from the Secret'
            : 'Argo CD applies a wave at once: what the Job should hold back is applied while it waits',
          fix: `set argocd.argoproj.io/sync-wave: '${isLast ? Math.max(...waves) + 1 : Math.min(...waves) - 1}'`,
        },
      ];
}
