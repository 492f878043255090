import { queryOptions } from '@tanstack/react-query'

export interface BuildInfo {
  number: string
  commit: string
  branch: string
}

/** The build information, written at build time. */
export const buildQuery = queryOptions({
  queryKey: ['build.json'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/build.json', { signal, cache: 'no-cache' })
    if (!response.ok) throw new Error(`build.json: ${response.status}`)
    return (await response.json()) as BuildInfo
  },
})
