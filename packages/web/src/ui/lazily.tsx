import type { ComponentType, ReactNode } from 'react'
import { useLayoutEffect, useState } from 'react'

export type Lazily<Props> = ((props: Props & { fallback?: ReactNode }) => ReactNode) & {
  /** Begins to fetch it. Where that fails, it is tried again when it is shown, which says so. */
  fetch: () => void
}

/**
 * A component in a file of its own, which comes when it is first shown, or before that by `fetch`; until it is there, `fallback` stands
 * in its place. A file that does not come is an error of the page.
 *
 * Not `lazy` of React: what its Suspense has once waited for stays hidden for 300 ms, however soon it is there, and it waits even for
 * what was fetched before.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): Lazily<Props> {
  let known: ComponentType<Props> | undefined
  const get = async () => (known ??= await load())
  function Lazily({ fallback, ...props }: Props & { fallback?: ReactNode }) {
    const [Shown, setShown] = useState(() => known)
    const [fault, setFault] = useState<{ error: unknown }>()
    useLayoutEffect(() => {
      if (Shown) return
      get().then(
        (component) => setShown(() => component),
        (error: unknown) => setFault({ error }),
      )
    }, [Shown])
    if (fault) throw fault.error
    return Shown ? <Shown {...(props as unknown as Props)} /> : fallback
  }
  return Object.assign(Lazily, { fetch: () => void get().catch(() => undefined) })
}
