import { walkCallers } from './calls.ts'

walkCallers()
