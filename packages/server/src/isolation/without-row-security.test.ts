import { walkCalls } from './calls.ts'

walkCalls('without row security', ['row security'])
