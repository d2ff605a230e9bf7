import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './documents';

/** A toy of one kind, added as CONTRIBUTING.md says: files of its own, and lines in a registry. */
export interface Toy {
  /** Text of each new file, by its path below the project's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The registry. */
  readonly registry: string;
  /** Lines of the registry, each with the line that is added before it. */
  readonly lines: readonly (readonly [before: string, line: string])[];
}

/** A file of a test that has a toy of its own, as it would stand in a folder of the library. */
function toyOfTest(file: string, folder: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replaceAll(`'../../../${folder}/`, "'./")
    .replaceAll("'../../../lib/shift/", "'../")
    .replaceAll("'../../../lib/", "'../../");
}

/** Toys by the word that the row of their recipe begins with. */
export const toys = {
  rule: {
    files: {
      'lib/lint/rules/webhooks/wh99-toy.ts': `
        import type { Rule } from '../../rule';

        export const wh99: Rule = {
          id: 'WH99',
          severity: 'warning',
          title: 'Toy',
          why: 'it is one',
          fix: 'put it away',
          *check({ objects }) {
            for (const object of objects.ofKind('', 'Toy')) {
              yield { object, pointer: '/kind', message: 'a toy' };
            }
          },
        };`,
    },
    registry: 'lib/lint/rules/webhooks/index.ts',
    lines: [
      ['import { wh14 }', "import { wh99 } from './wh99-toy';"],
      ['];', '  wh99,'],
    ],
  },
  router: {
    files: {
      'lib/shift/routers/toy.ts': `${toyOfTest('test/shift/routers/toy-router.ts', 'lib/shift/routers')}
        gateways.set('edge', { 'apps-blue': 100 });`,
    },
    registry: 'lib/shift/routers/registry.ts',
    lines: [
      ['import { simulated }', "import { toy } from './toy';"],
      ['} as const;', '  toy,'],
    ],
  },
  'check of a shift': {
    files: { 'lib/shift/checks/toy.ts': toyOfTest('test/shift/checks/toy.ts', 'lib/shift/checks') },
    registry: 'lib/shift/checks/registry.ts',
    lines: [['export { prometheus }', "export { toy } from './toy';"]],
  },
  sink: {
    files: {
      'lib/shift/notify/toy.ts': `
        import { object } from '../../core/validation/collections';
        import { everyEvent, sinkEntries, sinkKind } from './sink';
        import type { CommonSinkSettings } from './sink';

        export const toy = sinkKind<CommonSinkSettings>({
          tells: 'a toy: each event',
          events: everyEvent,
          settings: object<CommonSinkSettings>({ ...sinkEntries }),
          open: () => ({ name: 'toy', deliver: () => Promise.resolve() }),
        });`,
    },
    registry: 'lib/shift/notify/registry.ts',
    lines: [['export { webhook }', "export { toy } from './toy';"]],
  },
  'add-on': {
    files: {
      'lib/pulumi/addons/catalogue/toy.ts': `
        import { object } from '../../../core/validation/collections';
        import type { HelmAddon } from '../helm-addon';
        import { catalogueAddon, catalogueEntries } from './catalogue';
        import type { CatalogueOptions } from './catalogue';

        export interface ToyOptions extends CatalogueOptions {
          readonly version?: string;
        }

        const toyOptions = object<ToyOptions>(catalogueEntries);

        export const toyName = 'toy';

        export function toy(options: ToyOptions = {}): HelmAddon {
          return catalogueAddon('toy', toyOptions, options, ({ version = '1.2.3' }) => ({
            name: toyName,
            chart: 'toy',
            repository: 'https://charts.example.com',
            version,
            namespace: 'toys',
            podSecurity: 'restricted',
            values: () => ({ color: 'red' }),
            replicated: [],
          }));
        }`,
    },
    registry: 'lib/pulumi/addons/catalogue/index.ts',
    lines: [["export * from './argo-events';", "export * from './toy';"]],
  },
  doctor: {
    files: {
      'lib/operate/doctor/toy/toy-check.ts': `
        import { object, optional } from '../../../core/validation/collections';
        import { text } from '../../../core/validation/values';
        import type { DoctorCheck, DoctorCheckKind } from '../check';

        export function toyCheck({ color = 'red' }: { color?: string } = {}): DoctorCheck {
          return {
            name: 'toy',
            title: 'toys',
            layer: 'applications',
            access: (namespace) => [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'], namespace }],
            examine: async ({ api, namespace }) => {
              const toys = await api.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace });
              return { findings: [], looked: \`\${toys.length} \${color} toys\`, notChecked: [] };
            },
          };
        }

        const options = object<{ color?: string }>({ color: optional(text('a color')) });

        export const toy: DoctorCheckKind<{ color?: string }> = { options, create: toyCheck };`,
    },
    registry: 'lib/operate/doctor/registry.ts',
    lines: [
      ['import type * as Webhooks ', "import type * as Toy from './toy/toy-check';"],
      ['} satisfies ', "toy: () => (require('./toy/toy-check') as typeof Toy).toy,"],
    ],
  },
  command: {
    files: {
      'lib/cli/commands/toy.ts': `
        import { Command } from 'commander';

        export function toyCommand(): Command {
          return new Command('toy').summary('play').description('Play.').action(async () => {
            const { toy } = await import('../actions/toy');
            await toy();
          });
        }`,
      'lib/cli/actions/toy.ts': `
        import { writeOut } from '../output';

        export async function toy(): Promise<void> {
          await writeOut(['played']);
        }`,
    },
    registry: 'lib/cli/program.ts',
    lines: [
      ['import { simulateCommand }', "import { toyCommand } from './commands/toy';"],
      ['];', '  toyCommand,'],
    ],
  },
} as const satisfies Readonly<Record<string, Toy>>;
