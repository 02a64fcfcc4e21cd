-- A file is edited only after it was read.
hooke.on("tool.execute.after", { tool = "read" }, function(event)
  local path = event.data.args.path
  if path then hooke.state.set("read " .. path, true) end
end)

hooke.on("tool.execute.before", { tool = "edit", layer = "guard" }, function(event)
  local path = event.data.args.path
  if path and not hooke.state.get("read " .. path) then
    return { decision = "block", reason = path .. " has not been read yet: read it first" }
  end
end)
