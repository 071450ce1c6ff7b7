/** Returns the code of the configuration instead of the module's own. */
module.exports = {
  process: (_code, _file, { transformerConfig }) => ({ code: transformerConfig.code }),
}
