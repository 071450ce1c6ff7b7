// Prints how this action's schedule does beside others, on every distribution of durations: npm run bench:polling
import { comparePolicies } from './polling.mjs'
import { renderTable } from '../docs-tables/markdown-tables.mjs'

console.log(renderTable(comparePolicies()))
