import type { DirectoryOptions } from './directory-options';
import type { HelmOptions } from './helm-options';
import type { KustomizeOptions } from './kustomize-options';
import type { SourcePlugin } from './source-plugin';

/**
 * Where an Application's objects come from: a directory of a Git repository, a chart of a Helm repository, or
 * (beside others only) a Git repository that just lends its files.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/
 */
export type ApplicationSource = GitSource | ChartSource | ReferenceSource;

/** A directory of a Git repository. At most one of `directory`, `kustomize`, `helm` and `plugin` says how to read it. */
export interface GitSource {
  /** URL of the repository, without credentials. */
  readonly repoURL: string;
  /** Directory in the repository; `.` is its root. */
  readonly path: string;
  /** Branch, tag or commit. @default - the repository's HEAD */
  readonly targetRevision?: string;
  /** Reads plain manifests and Jsonnet. @default - Argo CD looks what the directory holds */
  readonly directory?: DirectoryOptions;
  /** Builds with Kustomize. @default - Argo CD looks what the directory holds */
  readonly kustomize?: KustomizeOptions;
  /** Renders the chart in the directory. @default - Argo CD looks what the directory holds */
  readonly helm?: HelmOptions;
  /** Renders with a config management plugin. @default - none, unless a plugin finds its files in the directory */
  readonly plugin?: SourcePlugin;
  /** Name by which value files of other sources refer to this repository (`$NAME/path`). @default - none */
  readonly ref?: string;
  /** Left out: a chart by name comes from a Helm repository. */
  readonly chart?: undefined;
}

/** A chart of a Helm repository or an OCI registry. */
export interface ChartSource {
  /** URL of the Helm repository; for OCI the registry and path without `oci://`. */
  readonly repoURL: string;
  /** Name of the chart. */
  readonly chart: string;
  /** Version of the chart, or a range. */
  readonly targetRevision: string;
  /** How the chart is rendered. @default - the chart's own values */
  readonly helm?: HelmOptions;
  /** Left out: the chart is the path. */
  readonly path?: undefined;
  /** Left out: Argo CD takes value files from Git repositories only. */
  readonly ref?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly directory?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly kustomize?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly plugin?: undefined;
}

/** A Git repository that lends value files to the other sources and deploys nothing itself. */
export interface ReferenceSource {
  /** URL of the repository, without credentials. */
  readonly repoURL: string;
  /** Name by which value files of other sources refer to this repository (`$NAME/path`). */
  readonly ref: string;
  /** Branch, tag or commit. @default - the repository's HEAD */
  readonly targetRevision?: string;
  /** Left out: with a path the repository deploys too. */
  readonly path?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly chart?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly directory?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly kustomize?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly helm?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly plugin?: undefined;
}
