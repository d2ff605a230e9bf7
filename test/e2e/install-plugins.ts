import { providerNames } from './bench/plugin-choice';
import { programPath } from './tools/go-tools';
import { installPlugins } from './tools/plugins';

const [folder, ...asked] = process.argv.slice(2);
const names = providerNames.filter((name) => asked.includes(name));

if (folder === undefined || names.length === 0 || names.length < asked.length) {
  console.error(`Usage: npm run e2e:plugins -- FOLDER NAME..., of the names ${providerNames.join(', ')}`);
  process.exit(2);
}
installPlugins(programPath('pulumi'), folder, names).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
