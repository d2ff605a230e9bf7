import type { ClusterSetSection } from './clusterset-report';
import type { ClocksSection } from './clocks-report';
import { clocksSection } from './clocks-report';
import { clusterSetSection } from './clusterset-report';
import type { ImportResult, ImportResults } from './imports';
import { importLimit } from './imports';
import type { LintSection, StartSection } from './lint-report';
import { lintSection, startSection } from './lint-report';
import type { Spread } from './measure';
import type { PreviewResult, RunResult } from './preview';
import { bareHeap } from './preview';
import type { ShiftSection } from './shift-report';
import { shiftSection } from './shift-report';
import type { SynthResult } from './synth';
import { measuredLine, number, spread, table, whole } from './text';

/** Where and when it was measured. */
export interface Conditions {
  /** `2026-01-31` */
  readonly date: string;
  /** `v20.19.0` */
  readonly node: string;
  readonly cpus: number;
  readonly memoryGigabytes: number;
  /** Processes that were running or waiting, on average over the last minute before the first sample. */
  readonly loadBefore: number;
}

/** Everything that was measured in one run. */
export interface Results {
  readonly conditions: Conditions;
  readonly imports: ImportResults;
  readonly synth: readonly SynthResult[];
  readonly previews: readonly PreviewResult[];
  readonly lint: LintSection;
  readonly start: StartSection;
  readonly clusterSets: ClusterSetSection;
  readonly clocks: ClocksSection;
  readonly shifts: ShiftSection;
}

/** The results as Markdown. */
export function report({
  conditions,
  imports,
  synth,
  previews,
  lint,
  start,
  clusterSets,
  clocks,
  shifts,
}: Results): string {
  return [
    ...head(conditions),
    ...importSection(imports),
    ...synthSection(synth),
    ...previewSection(previews),
    ...lintSection(lint),
    ...startSection(start),
    ...clusterSetSection(clusterSets),
    ...clocksSection(clocks),
    ...shiftSection(shifts),
  ].join('\n');
}

function head({ date, node, cpus, memoryGigabytes, loadBefore }: Conditions): string[] {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench`, which measures everything anew; `npm run bench -- --quick` shows a short run.',
    '',
    ...table(
      ['Date', 'Node.js', 'CPUs', 'Memory', 'Load average before'],
      [[date, node, String(cpus), `${number(memoryGigabytes)} GB`, number(loadBefore)]],
    ),
    '',
    'Every sample is taken in a process of its own; only files are cached, by the operating system. What is compared',
    'takes turns in one run, in the opposite order every other round, and a ratio is made of the two samples of one',
    'round, so that what slows both down cancels out. Tables show the median and, in brackets, the least and the',
    'greatest of the rounds; a ratio need not be the quotient of the two medians beside it. Wide brackets mean that',
    'the machine did other work at the same time, and so does a load average before the run that is not near 0.',
    'Nothing here is asserted by a test.',
    '',
  ];
}

/** Heading of the section on imports. */
export const importHeading = '## Import';

/** The section on imports, measured under conditions of its own where these are given. */
export function importSection({ cdk8sPlus, imports }: ImportResults, conditions?: Conditions): string[] {
  const limited = imports.filter(({ isLimited }) => isLimited);
  const within = limited.filter((each) => isWithinLimit(each));
  return [
    importHeading,
    '',
    ...(conditions ? [measuredLine(conditions.date, conditions.node, conditions.loadBefore), ''] : []),
    `The time that \`require\` of a built subpath takes, beside \`require('cdk8s-plus-28')\` alone (${spread(cdk8sPlus)} ms)`,
    'and beside the peer packages that the subpath loads, alone.',
    '',
    ...table(
      ['Import', 'ms', 'to cdk8s-plus-28', `goal ${importLimit}`, 'loads', 'to what it loads'],
      imports.map((each) => [
        `\`${each.name}\``,
        spread(each.time),
        spread(each.toCdk8sPlus),
        each.isLimited ? (isWithinLimit(each) ? 'met' : '**missed**') : '',
        each.peers.join(', ') || 'no peer package',
        each.toPeers === undefined ? '' : spread(each.toPeers),
      ]),
    ),
    '',
    `${within.length} of the ${limited.length} subpaths without Pulumi load within ${importLimit} times the time of \`cdk8s-plus-28\` alone (median).`,
    'In the last column 1.0 means that the library adds nothing to what the packages under it take.',
    '',
  ];
}

function isWithinLimit({ toCdk8sPlus }: ImportResult): boolean {
  return toCdk8sPlus.median <= importLimit;
}

function synthSection(synth: readonly SynthResult[]): string[] {
  return [
    '## Synthesis',
    '',
    'Argo CD ApplicationSets, Applications and cluster Secrets, and validating webhooks with their',
    'PodDisruptionBudgets, in equal parts, in one chart: made by the constructs, and written by hand as',
    '`ApiObject`s of cdk8s. That both give deeply equal objects is checked before the measurement. The time is that of',
    'construction and `synthYaml()`, without loading modules and writing files.',
    '',
    ...table(
      ['Objects', 'constructs, ms', 'bare `ApiObject`s, ms', 'ratio', 'construction alone, ms (medians)'],
      synth.map(({ objects, constructs, bare, ratio, constructing }) => [
        whole(objects),
        spread(constructs),
        spread(bare),
        spread(ratio),
        `${number(constructing.constructs)} beside ${number(constructing.bare)}`,
      ]),
    ),
    '',
    'The constructs check every property and derive what was left out, which shows in the construction alone; the',
    'rest, mostly the writing of YAML, is the same work in both.',
    ...synth.slice(1).map((each, index) => {
      const before = synth[index]!;
      const growth = each.constructs.median / before.constructs.median / (each.objects / before.objects);
      return `From ${whole(before.objects)} to ${whole(each.objects)} objects the time per object changes by the factor ${number(growth)} (1.0: time grows in proportion).`;
    }),
    '',
  ];
}

function previewSection(previews: readonly PreviewResult[]): string[] {
  return [
    '## Preview',
    '',
    '`cluster-canary preview --json` of a TypeScript program with fleets of up to five slots, each with a node group,',
    'an entry, cert-manager and the AWS Load Balancer Controller, from the start of the process to its end. Beside',
    'it a bare Pulumi program in plain JavaScript that registers as many resources, every other one with an input',
    "from the one before it, on Pulumi's own mocks. The preview runs with Node's default heap; the bare program gets",
    `\`--max-old-space-size=${bareHeap}\`, since the largest needs more than the default.`,
    '',
    ...table(
      [
        'Clusters',
        'registrations',
        'preview, s',
        'bare, s',
        'ratio',
        'preview, s per 1,000',
        'bare, s per 1,000',
      ],
      previews.map(({ clusters, registrations, preview, bare, ratio }) => [
        whole(clusters),
        whole(registrations),
        spread(preview.seconds),
        spread(bare.seconds),
        spread(ratio),
        number((preview.seconds.median / registrations) * 1000),
        number((bare.seconds.median / registrations) * 1000),
      ]),
    ),
    '',
    'A ratio below 1 means that the whole preview, its start and its output among it, takes less than the mere',
    "registration of as many, and simpler, resources on mocks. The preview keeps Pulumi's SDK from recording a stack",
    'trace for each of its promises; mocks do not.',
    '',
    ...table(
      ['Clusters', 'preview, CPU s', 'bare, CPU s', 'preview, peak memory', 'bare, peak memory'],
      previews.map(({ clusters, preview, bare }) => [
        whole(clusters),
        spread(preview.cpuSeconds),
        spread(bare.cpuSeconds),
        `${whole(preview.peakMegabytes)} MB`,
        `${whole(bare.peakMegabytes)} MB`,
      ]),
    ),
    '',
    'CPU seconds count all threads, garbage collection among them, and depend less on what else runs. A program makes',
    "all of its resources before the first is registered: most of the memory is what Pulumi's SDK keeps for each of",
    'them until then.',
    '',
    ...growth(previews),
  ];
}

/** Whether time grows in proportion, start-up left out: what each further 1,000 registrations cost, by step. */
function growth(previews: readonly PreviewResult[]): string[] {
  const steps = previews.slice(1).map((after, index) => [previews[index]!, after] as const);
  if (steps.length === 0) {
    return [];
  }
  const further = (of: (run: RunResult) => Spread, which: 'preview' | 'bare') =>
    steps.map(([before, after]) =>
      number(
        ((of(after[which]).median - of(before[which]).median) /
          (after.registrations - before.registrations)) *
          1000,
      ),
    );
  return [
    'What each further 1,000 registrations take, which leaves out the start of the process; equal numbers in a line',
    'mean that time grows in proportion.',
    '',
    ...table(
      [
        '',
        ...steps.map(([before, after]) => `${whole(before.clusters)} to ${whole(after.clusters)} clusters`),
      ],
      [
        ['preview, s', ...further(({ seconds }) => seconds, 'preview')],
        ['bare, s', ...further(({ seconds }) => seconds, 'bare')],
        ['preview, CPU s', ...further(({ cpuSeconds }) => cpuSeconds, 'preview')],
        ['bare, CPU s', ...further(({ cpuSeconds }) => cpuSeconds, 'bare')],
      ],
    ),
    '',
  ];
}
