import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { previewTag, ruleTag } from '../../core/names';
import { InvalidInput } from '../../core/validation/problems';
import type { PreviewValue, SlotPreview } from '../../shift/engine';
import { curlLine, previewVariable } from '../../shift/probes';
import { claimsOn, edgeRef } from './edge';
import type { EdgeSource } from './edge';
import { plannedPreviews } from './planned-previews';
import type { PlannedPreview, PreviewCondition } from './planned-previews';
import { valueProblems } from './previews-problems';
import { listenerConditions } from './rule-conditions';
import type { RulePreviews } from './shift/split-group';
import { ruleTagValue } from './shift/split-kind';
import type { SlotPreviewsArgs } from './slot-previews-args';
import type { RuleSettings } from './weighted-rule';

/** The previews of a fleet's traffic: what their rules, commands and checks are made of. */
export class SlotPreviews {
  private readonly planned: readonly PlannedPreview[];
  /** Ends well where all values are what they have to be, those too that only a deployment knows. */
  private readonly compared: pulumi.Output<unknown>;

  public constructor(
    args: SlotPreviewsArgs,
    slots: readonly string[],
    private readonly routes: Readonly<Record<string, RuleSettings>>,
  ) {
    this.planned = plannedPreviews(args, slots, routes);
    const values = args.hosts === undefined ? slots.map((slot) => args.values?.[slot] ?? slot) : [];
    this.compared = pulumi.all(values).apply((known) => {
      const named = known.map((value, index) => [slots[index]!, value] as const);
      const problems = valueProblems(named, args.cookie !== undefined);
      if (problems.length > 0) {
        throw new InvalidInput('previews', problems);
      }
    });
  }

  /** What the shift of a route knows of them. */
  public ofRoute(route: string): RulePreviews {
    const own = this.planned.filter((each) => each.route === route);
    const named = (of: (preview: PlannedPreview) => pulumi.Input<SlotPreview>) =>
      pulumi.output(Object.fromEntries(own.map((each) => [each.slot, of(each)]))) as pulumi.Output<
        Record<string, SlotPreview>
      >;
    return {
      written: named((preview) => withReference(preview, variableOf(preview.slot))),
      known: named((preview) => addressOf(preview, valueOf(preview.by))),
    };
  }

  /** The command that asks a slot, by route and slot. */
  public lines(): Record<string, Record<string, pulumi.Output<string>>> {
    const lines: Record<string, Record<string, pulumi.Output<string>>> = {};
    for (const preview of this.planned) {
      const line = pulumi.output(withReference(preview, previewVariable)).apply(curlLine);
      lines[preview.route] = { ...lines[preview.route], [preview.slot]: line };
    }
    return lines;
  }

  /**
   * Makes the rules.
   *
   * @param name of the traffic
   * @param edges the listener of each route
   * @param targets ARN of each slot's target group, by route
   */
  public rules(
    name: string,
    edges: (route: string) => EdgeSource,
    targets: Readonly<Record<string, Readonly<Record<string, pulumi.Input<string>>>>>,
    opts: pulumi.CustomResourceOptions,
  ): aws.lb.ListenerRule[] {
    return this.planned.map((preview) => {
      const { route, slot, priority, by } = preview;
      const { conditions: _own, tags: _tags, ...raw } = this.routes[route]!.ruleArgs ?? {};
      const resource = `${name}-${route}-preview-${slot}`;
      const edge = edges(route);
      claimsOn(edge).priorities.set(priority, `the preview of the slot "${slot}" of "${name}"`);
      return new aws.lb.ListenerRule(
        resource,
        {
          listenerArn: edgeRef(edge).listenerArn,
          ...raw,
          priority,
          conditions: this.conditions(route, by),
          // Of one target group alone no stickiness is kept: a visitor's cookie of the weights says nothing here, and none is set.
          actions: [
            { type: 'forward', forward: { targetGroups: [{ arn: targets[route]![slot]!, weight: 1 }] } },
          ],
          tags: {
            [previewTag]: slot,
            [ruleTag]: ruleTagValue(pulumi.getProject(), pulumi.getStack(), resource),
          },
        },
        opts,
      );
    });
  }

  private conditions(route: string, by: PreviewCondition): aws.lb.ListenerRuleArgs['conditions'] {
    const settings = this.routes[route]!;
    const own = settings.ruleArgs?.conditions;
    if (own !== undefined) {
      return pulumi.output(own).apply((given) => [...withoutHosts(given, by), this.condition(by)]);
    }
    const given = listenerConditions('host' in by ? { ...settings, hosts: undefined } : settings);
    return [...given, this.condition(by)];
  }

  private condition(by: PreviewCondition): aws.types.input.lb.ListenerRuleCondition {
    if ('host' in by) {
      return { hostHeader: { values: [by.host] } };
    }
    const value = this.checked(by.value);
    return 'cookie' in by
      ? {
          httpHeader: {
            httpHeaderName: 'Cookie',
            values: [
              typeof value === 'string'
                ? cookiePattern(by.cookie, value)
                : value.apply((known) => cookiePattern(by.cookie, known)),
            ],
          },
        }
      : { httpHeader: { httpHeaderName: by.header, values: [value] } };
  }

  /** A value that only a deployment knows is evaluated there, beside the others. */
  private checked(value: pulumi.Input<string>): string | pulumi.Output<string> {
    if (typeof value === 'string') {
      return value;
    }
    return pulumi.all([value, this.compared]).apply(([known]) => known);
  }
}

/** A cookie stands anywhere among others. */
function cookiePattern(name: string, value: string): string {
  return `*${name}=${value}*`;
}

function withoutHosts<T extends object>(conditions: readonly T[], by: PreviewCondition): readonly T[] {
  return 'host' in by
    ? conditions.filter((each) => (each as { readonly hostHeader?: unknown }).hostHeader === undefined)
    : conditions;
}

/** Name of the variable that a plan reads a slot's secret from. */
function variableOf(slot: string): string {
  return `${previewVariable}_${slot.toUpperCase().replaceAll('-', '_')}`;
}

function valueOf(by: PreviewCondition): pulumi.Input<string> {
  if ('host' in by) {
    return '';
  }
  return 'cookie' in by ? pulumi.output(by.value).apply((value) => `${by.cookie}=${value}`) : by.value;
}

/** Where a slot is asked; a secret stands there as a variable, which is no secret. */
function withReference(preview: PlannedPreview, variable: string): pulumi.Output<SlotPreview> {
  const value = valueOf(preview.by);
  if (!pulumi.Output.isInstance(value)) {
    return addressOf(preview, value);
  }
  const reference = { env: variable };
  const isSecret = pulumi.output(pulumi.isSecret(value as pulumi.Output<string>));
  return isSecret.apply((secret) => addressOf(preview, secret ? reference : value));
}

function addressOf(
  { by, url = '', headers }: PlannedPreview,
  value: pulumi.Input<PreviewValue>,
): pulumi.Output<SlotPreview> {
  const asked = 'host' in by ? {} : { ['cookie' in by ? 'Cookie' : by.header]: value };
  const all = { ...headers, ...asked };
  return pulumi.output({
    url,
    ...(Object.keys(all).length > 0 && { headers: all }),
  });
}
