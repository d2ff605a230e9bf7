import type { RekeyJobs } from '../../certificates';

/** What became of a re-key's Jobs, for a person, a line each. */
export function resultLines({ jobs }: RekeyJobs): readonly string[] {
  return jobs.flatMap(({ name, state, said }, index) => [
    ...(index === 0 ? [] : ['']),
    `Job ${name}: ${state}`,
    ...said.map((line) => `  ${line}`),
  ]);
}
