import { lazy, Suspense } from 'react'
import type { ComponentProps } from 'react'
import type { FilterFields as Fields } from './filter-fields.tsx'

const Editor = lazy(async () => ({ default: (await import('./filter-fields.tsx')).FilterFields }))

/** The editor of a filter, loaded when the first one is opened: a listing works without it. */
export function FilterFields(props: ComponentProps<typeof Fields>) {
  return (
    <Suspense>
      <Editor {...props} />
    </Suspense>
  )
}
