import { gitProgram } from '../../../../../lib/operate/swap';
import type { GitProgramOptions, GitProgramSettings } from '../../../../../lib/operate/swap';
import { BareRepository } from './hosting';

/** The configuration of a fleet in a repository, and what a swap makes of it. */
export const file = `# Clusters
apps:
  slots: { blue: '1.35' } # by slot
  weights:
    blue: 100
other: [1, 2]
`;
export const after = file
  .replace("blue: '1.35'", "blue: '1.35', green: '1.36'")
  .replace('100\n', '100\n    green: 0\n');
export const before = { slots: { blue: '1.35' }, weights: { blue: 100 } };
export const wanted = { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } };
export const never = new AbortController().signal;
const isDone = [process.execPath, '-e', ''];

export let bare: BareRepository;

beforeEach(() => {
  bare = new BareRepository({ 'config.yaml': file, 'README.md': 'x' });
});

afterEach(() => bare.remove());

export const programOf = (settings: Partial<GitProgramSettings> = {}, options: GitProgramOptions = {}) =>
  gitProgram(
    {
      ...{
        repository: bare.url,
        file: 'config.yaml',
        slots: ['apps', 'slots'],
        weights: ['apps', 'weights'],
      },
      ...{ deployed: { command: isDone }, ...settings },
    },
    { base: bare.folder, every: 5, patience: 100, github: { pauseMs: 1 }, ...options },
  );

export const deploy = async (
  settings: Partial<GitProgramSettings> = {},
  options: GitProgramOptions = {},
  signal = never,
  more: object = {},
) => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const change = { configuration: wanted, expected: [before], title: 'apps: create green', say, ...more };
  await programOf(settings, options).deploy(change, signal);
  return lines;
};
