import { runFeature } from '../runner/run-feature.ts'
import { visitorsAction } from '../visitors/visitors-action.ts'

await runFeature(visitorsAction)
