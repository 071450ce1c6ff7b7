/** Adds the attribute that Node.js requires to the import of a JSON file. GitHub's parser is written for bundlers. */
module.exports = {
  process: (code) => ({ code: code.replace(/^(import .* from ".*\.json");$/gm, '$1 with { type: "json" };') }),
}
