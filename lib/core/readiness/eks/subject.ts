import type { AwsClients } from '../../aws/clients';
import type { AllowStatement } from '../../aws/iam';
import type { ReadinessQuestion, ReadinessReport, ReadinessSubject } from '../report';
import { EksReader } from './reader';

export { listed, said } from '../words';

/** What a subject of EKS is made of. */
interface EksSubject {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly AllowStatement[];
  readonly look: (reader: EksReader, question: ReadinessQuestion) => Promise<ReadinessReport>;
}

/** Subjects that are asked the same question share what they have read. */
const readers = new WeakMap<ReadinessQuestion, EksReader>();

/** A subject that asks AWS about one EKS cluster. */
export function eksSubject({ look, ...subject }: EksSubject): ReadinessSubject {
  return {
    ...subject,
    needs: 'eks',
    inspect: async (question) => {
      question.signal.throwIfAborted();
      const { eks, concurrency, signal } = question;
      if (eks === undefined) {
        return { findings: [], looked: 'nothing', untried: ['EKS: no cluster is named'] };
      }
      const reader = readers.get(question) ?? new EksReader({ ...eks, concurrency, signal });
      readers.set(question, reader);
      const { findings, looked, untried } = await look(reader, question);
      return { findings, looked, untried: [...new Set(untried)] };
    },
  };
}

/** Clients that the subjects of EKS ask. */
export type OfAws<Client extends keyof AwsClients> = EksReader<Client>;

/**
 * Permissions for one kind of EKS's resources, `cluster`, or for what AWS knows no narrower resource for.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
 */
export function mayRead(
  Sid: string,
  Action: readonly string[],
  kind?: 'cluster' | 'nodegroup' | 'addon',
): AllowStatement {
  return { Sid, Effect: 'Allow', Action, Resource: kind === undefined ? '*' : `arn:*:eks:*:*:${kind}/*` };
}

/** The number behind `1.` of a Kubernetes version: 35 of `1.35`, `v1.35.2-eks-1` or `1.35.2-20261101`. */
export function minorOf(version = ''): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})(?!\d)/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** In milliseconds. */
export const day = 86_400_000;

/** `2026-12-02` */
export function dateOf(moment: Date): string {
  return Number.isNaN(moment.getTime()) ? 'an unknown day' : moment.toISOString().slice(0, 10);
}
