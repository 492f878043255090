import type { z } from 'zod'
import { propertyListNames } from '@caretaker/rules/properties/list.ts'
import { selection } from './lists.ts'

/** The properties that a bulk action applies to. */
export const PropertySelection = selection(propertyListNames, 'propertyIds')
export type PropertySelection = z.infer<typeof PropertySelection>
