import type { KubernetesReader } from '../../kubernetes/api';
import { canSurvey } from '../../kubernetes/survey';
import type {
  ReadinessAccess,
  ReadinessFinding,
  ReadinessQuestion,
  ReadinessReport,
  ReadinessSubject,
} from '../report';
import { LiveReader } from './reader';

/** What a subject of live clusters is made of. */
interface LiveSubject extends Omit<ReadinessSubject, 'inspect' | 'permissions' | 'needs'> {
  /** Which cluster it can't do without. @default 'kubernetes' */
  readonly needs?: 'kubernetes' | 'newKubernetes';
  readonly access: readonly ReadinessAccess[];
  readonly look: (reader: LiveReader, question: ReadinessQuestion) => Promise<ReadinessReport>;
}

/** A subject that asks API servers. */
export function liveSubject({ look, needs = 'kubernetes', ...subject }: LiveSubject): ReadinessSubject {
  return {
    ...subject,
    needs,
    inspect: async (question) => {
      question.signal.throwIfAborted();
      const reader = readerOf(question, needs);
      if (typeof reader === 'string') {
        return { findings: [], looked: 'nothing', untried: [reader] };
      }
      const { findings, looked, untried } = await look(reader, question);
      return { findings: atMost(findings), looked, untried: [...new Set(untried)] };
    },
  };
}

/** Subjects that are asked the same question share what they have read. */
const readers = new WeakMap<ReadinessQuestion, Map<KubernetesReader, LiveReader>>();

const clusters = { kubernetes: 'the cluster', newKubernetes: 'the new cluster' } as const;

/** Who asks one of the two clusters, or why nobody can. */
export function readerOf(
  question: ReadinessQuestion,
  at: 'kubernetes' | 'newKubernetes',
): LiveReader | string {
  const api = question[at];
  if (api === undefined) {
    return `${clusters[at]}: no API server is named`;
  }
  if (!canSurvey(api)) {
    return `${clusters[at]}: this client of its API server only reads objects`;
  }
  const known = readers.get(question) ?? new Map<KubernetesReader, LiveReader>();
  readers.set(question, known);
  const reader = known.get(api) ?? new LiveReader(api, question.concurrency, question.signal);
  known.set(api, reader);
  return reader;
}

/** Objects with the same fault that are told one by one: who has more of them begins with these. */
export const mostAlike = 100;

/** Findings of one name and severity. */
const mostFindings = 1_000;

/** Findings, the most severe first; of very many alike the rest is counted. */
export function atMost(
  findings: readonly ReadinessFinding[],
  most = mostFindings,
): readonly ReadinessFinding[] {
  const groups = new Map<string, ReadinessFinding[]>();
  for (const severity of ['error', 'warning', 'info'] as const) {
    for (const finding of findings.filter((each) => each.severity === severity)) {
      const key = `${severity} ${finding.id}`;
      const group = groups.get(key) ?? [];
      group.push(finding);
      groups.set(key, group);
    }
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined || group.length <= most
      ? group
      : [...group.slice(0, most), moreOf(first, group.length - most)];
  });
}

/** Stands for findings that are not told one by one. */
export function moreOf({ id, severity, why, fix }: ReadinessFinding, count: number): ReadinessFinding {
  return { id, severity, message: `${count} more findings like those before`, why, fix };
}

/** A name of an object in a text: `shop/web`. */
export function placeOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The part of `metadata` that names an object in a report. */
export function namesOf(metadata: { readonly namespace?: unknown; readonly name?: unknown }): {
  readonly namespace?: string;
  readonly name: string;
} {
  const { namespace, name } = metadata;
  return {
    name: typeof name === 'string' ? name : '',
    ...(typeof namespace === 'string' ? { namespace } : {}),
  };
}
