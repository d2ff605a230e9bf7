import type { AllowStatement } from '../../core/aws/iam';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { oneKeyOf } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import type { HistoryKind, HistoryRight, OpenShiftHistory } from './history-kind';
import * as registry from './registry';

type Registry = typeof registry;

type SettingsOf<Kind> = Kind extends HistoryKind<infer Settings> ? Settings : never;

/** Where ended shifts are kept, as a plan file has it: exactly one of the keys. */
export type ShiftHistorySettings = {
  [Name in keyof Registry]: { readonly [Key in Name]: SettingsOf<Registry[Name]> };
}[keyof Registry];

const kinds = registry as Readonly<Record<string, HistoryKind<unknown>>>;

/** What a plan file may say under `history`. */
export const shiftHistorySchema: Schema<ShiftHistorySettings> = oneKeyOf<Record<string, unknown>>(
  Object.fromEntries(Object.entries(kinds).map(([name, { settings }]) => [name, settings])),
) as Schema as Schema<ShiftHistorySettings>;

/** The kind and its settings. */
function kindOf(settings: ShiftHistorySettings): readonly [HistoryKind<unknown>, unknown] {
  const [name, own] = Object.entries<unknown>(settings)[0]!;
  return [kinds[name]!, own];
}

/**
 * Opens a history. Nothing is asked yet.
 *
 * @param base the folder that paths start from
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export function openShiftHistory(settings: ShiftHistorySettings, base: string): Promise<OpenShiftHistory> {
  const [kind, own] = kindOf(settings);
  return kind.open(own, base);
}

/** Least rights of a history at AWS, and the role that needs them; `undefined` is the identity that runs the command. */
export function shiftHistoryPermissions(
  settings: ShiftHistorySettings | undefined,
  right: HistoryRight,
): readonly { readonly role: string | undefined; readonly statement: AllowStatement }[] {
  const [kind, own] = settings ? kindOf(settings) : [];
  const rights = kind?.permissions?.(own, right);
  return (rights?.statements ?? []).map((statement) => ({ role: rights?.roleArn, statement }));
}

/** Least rights of a history on the API server. */
export function shiftHistoryAccess(
  settings: ShiftHistorySettings | undefined,
  right: HistoryRight,
): readonly (readonly [at: KubernetesSettings, rule: AccessRule])[] {
  const [kind, own] = settings ? kindOf(settings) : [];
  const rights = kind?.access?.(own, right);
  return (rights?.rules ?? []).map((rule) => [rights!.at, rule] as const);
}
