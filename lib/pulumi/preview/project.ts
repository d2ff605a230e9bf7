import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readYamlFile } from '../../core/validation/document';
import type { YamlFile } from '../../core/validation/document';
import type { Problems } from '../../core/validation/problems';
import { joinConfiguration } from './configuration';
import type { Configuration } from './configuration';

/** A Pulumi program on disk, with everything that its files say about running it. */
export interface Project {
  /** Name of the project. */
  readonly name: string;
  /** Name of the stack, without organization and project. */
  readonly stack: string;
  /** The organization of the stack's name; `organization` without one, as with Pulumi's file backends. */
  readonly organization: string;
  /** Folder of Pulumi.yaml. */
  readonly root: string;
  /** Folder that the program runs in. */
  readonly directory: string;
  /** File in that folder; `.` where package.json says which. */
  readonly entry: string;
  /** Whether TypeScript is compiled on the way. */
  readonly typescript: boolean;
  readonly configuration: Configuration;
  /** Name of the stack's configuration file, if there is one. */
  readonly configurationFile: string | null;
  /** Pulumi ESC environments that the stack's configuration takes values from. */
  readonly environments: readonly string[];
}

/** What a caller says about the stack. */
export interface StackChoice {
  /** Name of the stack, with or without organization and project. */
  readonly stack?: string | undefined;
  /** Configuration values that win over the files'. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Stand-ins for secret configuration values. */
  readonly secrets?: Readonly<Record<string, unknown>> | undefined;
}

const projectFiles = ['Pulumi.yaml', 'Pulumi.yml', 'Pulumi.json'];

/**
 * Reads the files of a Pulumi project as Pulumi does. What is wrong is added to the problems.
 * @see https://www.pulumi.com/docs/iac/concepts/projects/project-file/
 *
 * @param program a folder with Pulumi.yaml, or a file of the program
 * @returns nothing where there is no such program
 */
export function readProject(program: string, choice: StackChoice, problems: Problems): Project | undefined {
  const path = resolve(program);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const root = isFolder ? path : nearestProject(dirname(path));
  const file = root && projectFiles.map((name) => join(root, name)).find((each) => existsSync(each));
  if (!existsSync(path) || (isFolder ? file === undefined : !/\.[cm]?[jt]s$/.test(path))) {
    problems.add('program', program, 'a folder with a Pulumi.yaml, or a .ts or .js file');
    return undefined;
  }
  const folder = root ?? dirname(path);
  const shown = (absolute: string) => relative(process.cwd(), absolute) || absolute;
  const yaml = file === undefined ? undefined : readYamlFile(file, shown(file), problems);
  if (file !== undefined && yaml === undefined) {
    return undefined;
  }
  const described = describedProject(yaml, problems);
  const name = described.name ?? basename(folder);
  const { stack, organization } = stackName(choice.stack);
  const configFolder = resolve(folder, described.stackConfigDir);
  const configured = stackFile(configFolder, choice.stack === undefined ? undefined : stack);
  const stackYaml = configured && readYamlFile(configured.file, shown(configured.file), problems);
  const configuration = joinConfiguration(
    {
      project: name,
      // What a file that can't be read would have set is not missing.
      declared: configured && !stackYaml ? {} : described.config,
      stack: section(stackYaml?.value, 'config'),
      overrides: choice.config ?? {},
      secrets: choice.secrets ?? {},
    },
    {
      project: (key) => yaml?.at(key === '' ? ['config'] : ['config', key]) ?? 'config',
      stack: (key) =>
        stackYaml?.at(key === undefined ? ['config'] : ['config', key]) ??
        shown(join(configFolder, `Pulumi.${configured?.stack ?? stack}.yaml`)),
      secrets: 'answers secrets',
    },
    problems,
  );
  return {
    name,
    stack: configured?.stack ?? stack,
    organization,
    root: folder,
    ...entryPoint(folder, isFolder ? described.main : path, yaml, problems),
    typescript: described.typescript,
    configuration,
    configurationFile: stackYaml && configured ? basename(configured.file) : null,
    environments: environmentNames(section(stackYaml?.value, 'environment')),
  };
}

/** The folder of the nearest Pulumi.yaml, from a folder upwards. */
function nearestProject(folder: string): string | undefined {
  if (projectFiles.some((name) => existsSync(join(folder, name)))) {
    return folder;
  }
  return dirname(folder) === folder ? undefined : nearestProject(dirname(folder));
}

interface DescribedProject {
  readonly name: string | undefined;
  readonly main: string | undefined;
  readonly typescript: boolean;
  readonly config: unknown;
  readonly stackConfigDir: string;
}

function describedProject(yaml: YamlFile | undefined, problems: Problems): DescribedProject {
  const nothing = { name: undefined, main: undefined, typescript: true, config: {}, stackConfigDir: '.' };
  if (yaml === undefined) {
    return nothing;
  }
  const { value } = yaml;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.addAll([{ path: yaml.at([]), allowed: 'a map with name and runtime' }]);
    return nothing;
  }
  const { name, main, runtime, config, stackConfigDir } = value as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') {
    problems.add(`${yaml.at(['name'])} name`, name, 'the name of the project');
  }
  if (main !== undefined && typeof main !== 'string') {
    problems.add(`${yaml.at(['main'])} main`, main, 'the path of the program');
  }
  const language = section(runtime, 'name') ?? runtime;
  if (language !== 'nodejs') {
    problems.add(
      `${yaml.at(['runtime'])} runtime`,
      language,
      '"nodejs": only such programs can be previewed',
    );
  }
  return {
    name: typeof name === 'string' && name !== '' ? name : undefined,
    main: typeof main === 'string' && main !== '' ? main : undefined,
    typescript: section(section(runtime, 'options'), 'typescript') !== false,
    // Pulumi's older name for stackConfigDir was config.
    config: typeof config === 'string' ? {} : config,
    stackConfigDir:
      typeof stackConfigDir === 'string' ? stackConfigDir : typeof config === 'string' ? config : '.',
  };
}

/** `main` may be a file or a folder; the program runs in the folder. */
function entryPoint(
  root: string,
  main: string | undefined,
  yaml: YamlFile | undefined,
  problems: Problems,
): Pick<Project, 'directory' | 'entry'> {
  if (main === undefined) {
    return { directory: root, entry: '.' };
  }
  const path = resolve(root, main);
  if (!existsSync(path)) {
    problems.add(`${yaml?.at(['main']) ?? 'program'} main`, main, 'a file or folder that exists');
    return { directory: root, entry: '.' };
  }
  return statSync(path).isDirectory()
    ? { directory: path, entry: '.' }
    : { directory: dirname(path), entry: basename(path) };
}

/** Takes `organization/project/stack`, `organization/stack` or `stack` apart. */
export function stackName(name = 'dev'): { stack: string; organization: string } {
  const [organization, ...rest] = name.split('/');
  return rest.length === 0
    ? { stack: name, organization: 'organization' }
    : { stack: rest.at(-1)!, organization: organization! };
}

/** The stack's configuration file: of the given stack, else the only one, else that of `dev`. */
function stackFile(folder: string, stack: string | undefined): { file: string; stack: string } | undefined {
  const files = existsSync(folder)
    ? readdirSync(folder).flatMap((name) => {
        const match = /^Pulumi\.(.+)\.(ya?ml|json)$/.exec(name);
        return match ? [{ file: join(folder, name), stack: match[1]! }] : [];
      })
    : [];
  if (stack === undefined && files.length === 1) {
    return files[0];
  }
  return files.find((each) => each.stack === (stack ?? 'dev'));
}

function environmentNames(environment: unknown): string[] {
  const names = Array.isArray(environment) ? environment : section(environment, 'imports');
  return Array.isArray(names)
    ? names.map((each) => (typeof each === 'string' ? each : Object.keys(each as object).join(', ')))
    : [];
}

function section(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
