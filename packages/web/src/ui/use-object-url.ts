import { useEffect, useState } from 'react'

/** Longer than a dialog fades away, in which what it showed is still to be seen. */
const afterFading = 2_000

/** An address of a file for as long as it is shown; `make` is asked once. */
export function useObjectUrl(make: () => Blob): string {
  const [address] = useState(() => URL.createObjectURL(make()))
  useEffect(
    () => () => {
      setTimeout(() => URL.revokeObjectURL(address), afterFading)
    },
    [address],
  )
  return address
}
