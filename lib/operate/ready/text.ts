import { oneLine } from '../../core/printable-text';
import type { ReadinessFinding, SubjectResult } from '../../core/readiness';
import { readySummary, subjectStatus, worstFirst } from './report';
import type { AskedServer, LeftOutSubject, ReadyReport, ReadyStatus } from './report';

/** As many as a person reads under one finding; a document has all of them. */
const mostShown = 20;

const words: Readonly<Record<ReadyStatus, string>> = {
  passed: 'passed ',
  warned: 'warned ',
  failed: 'FAILED ',
  unknown: 'unknown',
};

/** A report for people: the subjects, what they found with the errors first, what nobody has looked at. */
export function readyText(report: ReadyReport): string {
  const { subjects, leftOut } = report;
  const blocks = [
    [headline(report), ...askedLines(report)],
    subjects.map((subject) => {
      const { name, title, looked } = subject;
      return `${words[subjectStatus(subject)]}  ${name}: ${title} (${looked})`;
    }),
    ...subjects.filter(({ findings }) => findings.length > 0).map(subjectLines),
    untriedLines(subjects),
    leftOutLines(leftOut),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(oneLine).join('\n'))
    .join('\n\n')}\n`;
}

function headline(report: ReadyReport): string {
  const { error, warning, info, untried } = readySummary(report);
  const counts = [counted(error, 'error'), counted(warning, 'warning'), counted(info, 'info')].join(', ');
  return `Kubernetes ${report.to}: ${counts}${untried > 0 ? `; ${untried} not looked at` : ''}`;
}

function askedLines({ asked: { kubernetes, newKubernetes, eks } }: ReadyReport): readonly string[] {
  const server = (what: string, { server: url, version = 'unknown version' }: AskedServer): string =>
    `${what}: ${url}, ${version}`;
  return [
    ...(eks === undefined ? [] : [`EKS cluster: ${eks}`]),
    ...(kubernetes ? [server('cluster', kubernetes)] : []),
    ...(newKubernetes ? [server('new cluster', newKubernetes)] : []),
  ];
}

/** What is said of several findings in the same words. */
interface Group {
  readonly first: ReadinessFinding;
  /** Findings by their message. */
  readonly messages: Map<string, ReadinessFinding[]>;
}

function subjectLines({ name, findings }: SubjectResult): readonly string[] {
  const groups = new Map<string, Group>();
  for (const finding of worstFirst(findings)) {
    const { id, severity, why, fix, message } = finding;
    const key = JSON.stringify([id, severity, why, fix]);
    const group = groups.get(key) ?? { first: finding, messages: new Map<string, ReadinessFinding[]>() };
    groups.set(key, group);
    group.messages.set(message, [...(group.messages.get(message) ?? []), finding]);
  }
  return [name, ...[...groups.values()].flatMap(groupLines)];
}

function groupLines({ first: { id, severity, why, fix }, messages }: Group): readonly string[] {
  const [[only, same] = ['', []], ...others] = [...messages];
  const head = `  ${severity}  ${id}`;
  const lines =
    others.length === 0
      ? [`${head}  ${only}`, ...bounded(same.flatMap(placeLine))]
      : [
          head,
          ...bounded(
            [...messages].map(([message, findings]) => {
              const places = findings.flatMap(placeLine);
              const more = places.length > 1 ? ` and ${places.length - 1} more` : '';
              return places.length === 0 ? message : `${message}: ${places[0]}${more}`;
            }),
          ),
        ];
  return [...lines, `      why: ${why}`, `      fix: ${fix}`];
}

function bounded(lines: readonly string[]): readonly string[] {
  const left = lines.length - mostShown;
  return [...lines.slice(0, mostShown), ...(left > 0 ? [`and ${left} more`] : [])].map(
    (line) => `      - ${line}`,
  );
}

/** Where a finding is; nothing of one that is about no object. */
function placeLine({ object, seenIn, file, line, pointer }: ReadinessFinding): readonly string[] {
  const place = [
    ...(object
      ? [
          `${object.kind} ${object.namespace === undefined ? '' : `${object.namespace}/`}${object.name}`.trim(),
        ]
      : []),
    ...(pointer === undefined || pointer === '' ? [] : [pointer]),
    ...(file === undefined ? [] : [`in ${file}${line === undefined ? '' : `:${line}`}`]),
    ...(seenIn === undefined ? [] : [`(${seenIn})`]),
  ].join(' ');
  return place === '' ? [] : [place];
}

/** The same reason of several subjects is one line. */
function untriedLines(subjects: readonly SubjectResult[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { name, untried } of subjects) {
    untried.forEach((line) => names.set(line, [...(names.get(line) ?? []), name]));
  }
  const lines = [...names].map(([line, of]) => `  - ${[...new Set(of)].join(', ')}: ${line}`);
  return lines.length === 0 ? [] : ['Not looked at; nothing of it has passed:', ...lines];
}

/** How each is asked for. */
const flags: Readonly<Record<LeftOutSubject['needs'], string>> = {
  eks: '--cluster',
  kubernetes: '--kubeconfig',
  newKubernetes: '--new-kubeconfig',
  helmReleases: '--helm-releases',
};

function leftOutLines(leftOut: readonly LeftOutSubject[]): readonly string[] {
  const needs = [...new Set(leftOut.map((each) => each.needs))];
  return needs.map((need) => {
    const names = leftOut.filter((each) => each.needs === need).map(({ name }) => name);
    return `not asked, without ${flags[need]}: ${names.join(', ')}`;
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
