-- Holds a request back while the replica that has its episode is being replaced. Sets txn.absent where that takes over a minute, or
-- where there is no such replica.
local TRIES, PAUSE_MS = 300, 200

core.register_action("wait_for_replica", { "http-req" }, function(txn)
  local server = core.backends["episode"].servers[txn:get_var("txn.replica")]
  for _ = 1, TRIES do
    local status = server and server:get_stats()["status"] or "MAINT"
    -- NOLB: it takes no new episodes, and goes on with those it has.
    if status:find("^UP") or status:find("^NOLB") or status:find("^DRAIN") then
      return
    end
    if status:find("^MAINT") then
      break
    end
    core.msleep(PAUSE_MS)
  end
  txn:set_var("txn.absent", true)
end)

-- Holds a request for no replica in particular back while none takes new episodes: one has just gone, and the next is not yet known.
-- Where that takes over a minute, HAProxy answers 503 itself.
core.register_action("wait_for_any", { "http-req" }, function(txn)
  for _ = 1, TRIES do
    if txn.f:nbsrv() > 0 then
      return
    end
    core.msleep(PAUSE_MS)
  end
end)
