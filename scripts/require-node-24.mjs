// Preloaded by the npm scripts that run TypeScript or compare results of Node.js. npm puts the Node.js of node_modules first in the
// path, where `optionalDependencies` has a package for the platform.
const [major] = process.versions.node.split('.')
if (major !== '24') {
  console.error(
    `This needs Node.js 24, and runs on ${process.version}. Run npm ci, or install Node.js 24 where npm has none for ${process.platform} ${process.arch}.`,
  )
  process.exit(1)
}
