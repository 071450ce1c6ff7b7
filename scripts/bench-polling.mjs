// Prints how this action's schedule does beside others, on every distribution of durations: npm run bench:polling
import { comparePolicies } from './bench/polling.mjs'
import { renderTable } from './markdown-tables.mjs'

console.log(renderTable(comparePolicies()))
