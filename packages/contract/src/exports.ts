import { z } from 'zod'
import { fieldIds } from '@caretaker/rules/devices/fields.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { ListingQuery } from './devices.ts'
import { route } from './route.ts'

export const exportFormats = ['csv', 'xlsx'] as const
export const exportListing = route({
  method: 'POST',
  path: '/api/ExportListing',
  may: 'enter tenant',
  summary: 'All rows of a listing as a file, in the columns that are named.',
  body: ListingQuery.extend({
    columns: z.array(z.enum(fieldIds)).min(1).max(viewLimits.columns),
    format: z.enum(exportFormats).default('csv'),
  }),
  file: 'application/octet-stream',
})
