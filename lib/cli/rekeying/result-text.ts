import type { RekeyJobs } from '../../certificates';

/** What became of a re-key's Jobs, for a person. */
export function resultText({ jobs }: RekeyJobs): string {
  return jobs
    .flatMap(({ name, state, said }) => [`Job ${name}: ${state}`, ...said.map((line) => `  ${line}`), ''])
    .join('\n');
}
