import { buildTool, goTool, programPath } from '../../test/e2e/tools/go-tools';

/** Prints the path of kubeconform, which is built first where it is missing. */
void buildTool(goTool('kubeconform'), (line) => process.stderr.write(`${line}\n`)).then(() =>
  process.stdout.write(programPath('kubeconform')),
);
