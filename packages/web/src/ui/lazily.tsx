import type { ComponentType, ReactNode } from 'react'
import { useLayoutEffect, useState } from 'react'

export type Lazily<Props> = ((props: Props & { fallback?: ReactNode }) => ReactNode) & {
  /** Starts loading. A failed load is retried, and reported, when it is shown. */
  fetch: () => void
}

/**
 * A component in its own file, loaded when first shown or by `fetch`; until then `fallback` is shown. A failed load is
 * an error of the page. This replaces `React.lazy`, whose Suspense keeps content hidden for 300 ms and waits even for
 * prefetched code.
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
