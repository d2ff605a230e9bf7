import { systemClock } from '../../core/async';
import { httpClient } from '../../core/http';
import { processSecrets } from '../../core/secret-source';
import { object, optional } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import type { Agreed, Resume } from '../engine';
import { approvalLinkSchema } from '../page';
import type { ApprovalLinkSettings } from '../page';
import type { ApprovalContext, ApprovalKind, ApprovalSubject } from './approval-kind';
import * as registry from './registry';

type Registry = typeof registry;

type SettingsOf<Kind> = Kind extends ApprovalKind<infer Settings> ? Settings : never;

/** Ways in which people let a shift go beyond its pauses, as a plan file has them: each key is one. */
export type ApprovalSettings = { readonly [Name in keyof Registry]?: SettingsOf<Registry[Name]> } & {
  /** A signed link in the notification of a pause, to the page of `--serve`. @default - none is sent */
  readonly link?: ApprovalLinkSettings;
};

const kinds = registry as Readonly<Record<string, ApprovalKind<unknown>>>;

/** What a plan file may say under `approvals`. */
export const approvalsSchema: Schema<ApprovalSettings> = object<Record<string, unknown>>({
  link: optional(approvalLinkSchema),
  ...Object.fromEntries(Object.entries(kinds).map(([name, { settings }]) => [name, optional(settings)])),
}) as Schema as Schema<ApprovalSettings>;

/** No token is longer; in bytes. */
const longestToken = 1_000_000;

/** Secrets of ways of approval. */
export const approvalSecrets = processSecrets(longestToken);

/** What ways are opened with outside of tests. */
export function approvalContext(say: (line: string) => void): ApprovalContext {
  return {
    ...approvalSecrets,
    http: httpClient(),
    clock: systemClock,
    say,
  };
}

/** Opens the ways of a plan but links, which are the page's. No one is asked yet. */
export function openApprovals(
  { link: _, ...settings }: ApprovalSettings,
  subject: ApprovalSubject,
  context: ApprovalContext,
): readonly Resume[] {
  return Object.entries<unknown>(settings).map(([name, own]) => kinds[name]!.open(own, subject, context));
}

/**
 * Several ways as one: the first that says yes lets it go. One that can't be asked keeps no other one from it.
 *
 * @returns nothing where there is none
 */
export function anyOf(ways: readonly Resume[]): Resume | undefined {
  const [only, ...others] = ways;
  if (!only || others.length === 0) {
    return only;
  }
  return {
    how: ways.map(({ how }) => how).join('; or '),
    resumed: async (place, signal) => {
      const asked = await Promise.allSettled(ways.map((way) => way.resumed(place, signal)));
      const answers = asked.flatMap((each): readonly (boolean | Agreed)[] =>
        each.status === 'fulfilled' ? [each.value] : [],
      );
      const agreed = answers.find((each) => typeof each === 'object') ?? answers.find(Boolean);
      const failed = asked.find((each) => each.status === 'rejected');
      if (agreed === undefined && failed) {
        throw failed.reason;
      }
      return agreed ?? false;
    },
  };
}
