import type { z } from 'zod'
import { propertyListNames } from '@caretaker/rules/properties/list.ts'
import { selection } from './lists.ts'

/** Homes that a bulk action is for. */
export const PropertySelection = selection(propertyListNames, 'propertyIds')
export type PropertySelection = z.infer<typeof PropertySelection>
