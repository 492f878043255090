import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

const BuildInfo = z.object({ number: z.coerce.string(), commit: z.string(), branch: z.string() })
export type BuildInfo = z.infer<typeof BuildInfo>

/** The build information file, which the build lays beside the pages. */
export const buildQuery = queryOptions({
  queryKey: ['build.json'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/build.json', { signal, cache: 'no-cache' })
    if (!response.ok) throw new Error(`build.json: ${response.status}`)
    return BuildInfo.parse(await response.json())
  },
})
