import { resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { chartFolder } from '../tools/charts';

/** The post-renderer of the library's sources is not translated; this one is, by the task that runs the suite. */
const postRenderer = resolve(__dirname, '../../../dist/cli/harden.js');

/** A program whose Releases take their charts from the cache: nothing here reaches the charts' repositories. */
export function withLocalCharts(program: PulumiFn): PulumiFn {
  return () => {
    pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
      type === 'kubernetes:helm.sh/v3:Release' ? { props: withLocalChart(props), opts } : undefined,
    );
    return program();
  };
}

function withLocalChart({ repositoryOpts: _, version, ...props }: pulumi.Inputs): pulumi.Inputs {
  return {
    ...props,
    chart: chartFolder({ chart: props.chart, version }),
    ...(props.postrender === undefined ? {} : { postrender: postRenderer }),
  };
}
