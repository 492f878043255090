import { useEffect, useState } from 'react'

/** Longer than the fade-out of a dialog, whose content is still visible. */
const afterFading = 2_000

/** An object URL of a file while it is shown; `make` is called once. */
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
