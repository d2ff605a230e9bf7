import * as pulumi from '@pulumi/pulumi';
import type { PreviewPlan } from '../../../lib/pulumi/preview';
import { preview } from '../../../lib/pulumi/preview';
import { planned, Thing } from './program';

const plan = (program: () => unknown): Promise<PreviewPlan> => preview({ program, timeoutSeconds: 10 });
const namesOf = (urns: readonly string[]): string[] => urns.map((urn) => urn.split('::').at(-1)!);

describe('transforms of resources', () => {
  test('change what is registered in the order of the engine: own, parents from the nearest on, stack', async () => {
    const add =
      (what: string): pulumi.ResourceTransform =>
      ({ props, opts }) => ({ props: { ...props, order: [...((props as any).order ?? []), what] }, opts });
    const result = await plan(() => {
      pulumi.runtime.registerResourceTransform(add('stack'));
      const outer = new pulumi.ComponentResource(
        'test:index:Outer',
        'outer',
        {},
        { transforms: [add('outer')] },
      );
      const inner = new pulumi.ComponentResource(
        'test:index:Inner',
        'inner',
        {},
        { parent: outer, transforms: [add('inner')] },
      );
      new Thing('deep', {}, { parent: inner, transforms: [add('first'), add('second')] });
      new Thing('beside', {}, { parent: outer });
      new Thing('apart', {});
    });
    const orders = ['deep', 'beside', 'apart'].map((name) => planned(result, name).inputs.order);
    expect(orders).toEqual([['first', 'second', 'inner', 'outer', 'stack'], ['outer', 'stack'], ['stack']]);
  });

  test('keep secrets, unknown values and dependencies, and set options', async () => {
    const result = await plan(() => {
      const source = new Thing('source', {});
      const other = new Thing('other', {});
      const hook = new pulumi.ResourceHook('walk', () => undefined);
      new Thing(
        'thing',
        { hidden: pulumi.secret('hush'), from: source.value, plain: { deep: [1] } },
        {
          hooks: { beforeUpdate: [hook] },
          transforms: [
            async ({ props, opts }) => {
              await new Promise((resolve) => setTimeout(resolve, 20));
              return {
                props: { ...props, added: pulumi.secret('mum'), tags: { team: 'platform' } },
                opts: { ...opts, protect: true, dependsOn: [other] } as pulumi.ResourceOptions,
              };
            },
          ],
        },
      );
    });
    const thing = planned(result, 'thing');
    expect(thing.inputs).toEqual({
      hidden: '[secret]',
      from: '[unknown]',
      plain: { deep: [1] },
      added: '[secret]',
      tags: { team: 'platform' },
    });
    expect(thing.protect).toBe(true);
    expect(thing.hooks).toEqual({ beforeUpdate: ['walk'] });
    expect(namesOf(thing.dependencies)).toEqual(['other', 'source']);
    expect(namesOf(thing.propertyDependencies.from!)).toEqual(['source']);
  });
});
