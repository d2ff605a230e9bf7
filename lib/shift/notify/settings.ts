import type { AllowStatement } from '../../core/aws/iam';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { list, oneKeyOf } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import * as registry from './registry';
import { takesEvent } from './sink';
import type { CommonSinkSettings, Sink, SinkContext, SinkKind } from './sink';

type Registry = typeof registry;

/** Key of a sink in a plan file. */
export type SinkName = keyof Registry;

type SettingsOf<Kind> = Kind extends SinkKind<infer Settings> ? Settings : never;

/** A sink as a plan file has it: exactly one of the keys, with the settings of that kind. */
export type SinkSettings = {
  [Name in SinkName]: { readonly [Key in Name]: SettingsOf<Registry[Name]> };
}[SinkName];

/** Every kind of sink by its word. */
export const sinkKinds: Readonly<Record<string, SinkKind<CommonSinkSettings>>> = { ...registry };

/** What a plan file may say under `notify`. */
export const notifySchema: Schema<readonly SinkSettings[]> = list(
  oneKeyOf<Record<string, CommonSinkSettings>>(
    Object.fromEntries(Object.entries(sinkKinds).map(([name, { settings }]) => [name, settings])),
  ) as Schema as Schema<SinkSettings>,
  1,
  `a list of sinks, each an object with exactly one of ${Object.keys(sinkKinds).join(', ')}`,
);

/** The kind and its settings. */
function opened(sink: SinkSettings): readonly [SinkKind<CommonSinkSettings>, CommonSinkSettings] {
  const [name, settings] = Object.entries<CommonSinkSettings>(sink)[0]!;
  return [sinkKinds[name]!, settings];
}

/** Opens sinks. No one is asked yet. Two of a kind are told apart by their places. */
export function openSinks(sinks: readonly SinkSettings[], context: SinkContext): readonly Sink[] {
  return sinks.map((sink, index) => {
    const [kind, settings] = opened(sink);
    const { name, ...rest } = kind.open(settings, context);
    return { name: `notify[${index}] ${name}`, ...rest, takes: (event) => takesEvent(kind, settings, event) };
  });
}

/** Least rights of sinks at AWS, and the roles that need them; `undefined` is the identity that runs the plan. */
export function notifyPermissions(sinks: readonly SinkSettings[]): readonly {
  /** ARN of the role; `undefined` is the identity that runs the plan. */
  readonly role: string | undefined;
  /** What it needs. */
  readonly statement: AllowStatement;
}[] {
  return sinks.flatMap((sink) => {
    const [kind, settings] = opened(sink);
    const rights = kind.permissions?.(settings);
    return (rights?.statements ?? []).map((statement) => ({ role: rights?.roleArn, statement }));
  });
}

/** Least rights of sinks on API servers. */
export function notifyAccess(
  sinks: readonly SinkSettings[],
): readonly (readonly [at: KubernetesSettings, rule: AccessRule])[] {
  return sinks.flatMap((sink) => {
    const [kind, settings] = opened(sink);
    const rights = kind.access?.(settings);
    return (rights?.rules ?? []).map((rule) => [rights!.at, rule] as const);
  });
}
